//! Times as forums write them, each with the moment it means.

use super::*;
use crate::time::Reader;

/// Sunday, 20 July 2025, 12:00 UTC.
const FETCHED_S: i64 = 1_753_012_800;

fn check(text: &str, expected: &str) {
    let reader = Reader { fetched_s: Some(FETCHED_S), ..Reader::default() };
    let found: Vec<_> =
        scan(text).iter().filter_map(|(_, it)| reader.read(it)).map(|it| it.local_text()).collect();
    assert_eq!(found.join(" "), expected, "`{text}`");
}

#[test]
fn absolute_times_in_many_languages() {
    for (text, expected) in [
        ("2026-09-07T16:06:24.000Z", "2026-09-07T16:06:24Z"),
        ("2012-07-24T15:47:12+0100", "2012-07-24T15:47:12+01:00"),
        ("2026-06-04T12:55:06-05:30", "2026-06-04T12:55:06-05:30"),
        ("2008-06-30 14:05", "2008-06-30T14:05"),
        ("07/18/25 08:55 PM", "2025-07-18T20:55"),
        ("Sept. 30, 2026, 3:34 p.m.", "2026-09-30T15:34"),
        ("on March 9, 2026, 12:41 a.m.", "2026-03-09T00:41"),
        ("May 20, 2026, 4 a.m.", "2026-05-20T04:00"),
        ("May 20, 2026, noon", "2026-05-20T12:00"),
        ("Jan 23, 2026 at 9:12 AM", "2026-01-23T09:12"),
        ("Posted: Mon Jun 30, 2008 2:05 pm", "2008-06-30T14:05"),
        ("« Reply #3 on: June 30, 2008, 02:05:11 PM »", "2008-06-30T14:05:11"),
        ("05 Mar 2013 15:42", "2013-03-05T15:42"),
        ("15-07-2014, 01h36", "2014-07-15T01:36"),
        ("Wed, 04/04/2012 - 07:35", "2012-04-04T07:35"),
        ("06/30/2008 02:05 PM", "2008-06-30T14:05"),
        ("30.06.2008, 14:05", "2008-06-30T14:05"),
        ("30 June 2008 - 14:05", "2008-06-30T14:05"),
        ("30-Jun-08 14:05", "2008-06-30T14:05"),
        ("Mo 30. Jun 2008, 14:05 Uhr", "2008-06-30T14:05"),
        ("Montag, 30. März 2009, 14.05 Uhr", "2009-03-30T14:05"),
        ("lundi 30 août 2008 à 14h05", "2008-08-30T14:05"),
        ("1er janvier 2009, 00:30", "2009-01-01T00:30"),
        ("30 de junio de 2008, 14:05", "2008-06-30T14:05"),
        ("lun 30 giugno 2008, 14:05", "2008-06-30T14:05"),
        ("Seg, 30 de Junho de 2008 às 14:05", "2008-06-30T14:05"),
        ("ma 30 jun 2008 14:05", "2008-06-30T14:05"),
        ("30 cze 2008, o 14:05", "2008-06-30T14:05"),
        ("30 июня 2008 в 14:05", "2008-06-30T14:05"),
        ("Пн июн 30, 2008 2:05 pm", "2008-06-30T14:05"),
        ("2008年6月30日(月) 14:05", "2008-06-30T14:05"),
        ("2008年6月30日 14時05分", "2008-06-30T14:05"),
        ("2008年6月30日 下午2:05", "2008-06-30T14:05"),
        ("发表于 2008-6-30 14:05:11", "2008-06-30T14:05:11"),
        ("30 Haziran 2008, 14:05", "2008-06-30T14:05"),
        ("14:05, 30 June 2008", "2008-06-30T14:05"),
        ("02:05 PM 30-06-2008", "2008-06-30T14:05"),
        ("30 June 2008 14:05 CEST", "2008-06-30T14:05+02:00"),
        ("30 June 2008 14:05 GMT-5", "2008-06-30T14:05-05:00"),
        ("June 21, 2026", "2026-06-21"),
        ("Joined Jan 2005", "2005-01-01"),
        ("12 May", "2025-05-12"),
        ("12 Dec, 10:00", "2024-12-12T10:00"),
    ] {
        check(text, expected);
    }
}

#[test]
fn times_that_count_back_from_the_fetch() {
    for (text, expected) in [
        ("Today, 02:05 AM", "2025-07-20T02:05"),
        ("Yesterday at 14:05", "2025-07-19T14:05"),
        ("Heute um 09:12 Uhr", "2025-07-20T09:12"),
        ("Gestern, 23:59", "2025-07-19T23:59"),
        ("Aujourd'hui à 08:00", "2025-07-20T08:00"),
        ("hier, 14h05", "2025-07-19T14:05"),
        ("ayer a las 14:05", "2025-07-19T14:05"),
        ("ieri alle 14:05", "2025-07-19T14:05"),
        ("ontem às 14:05", "2025-07-19T14:05"),
        ("gisteren om 14:05", "2025-07-19T14:05"),
        ("wczoraj o 14:05", "2025-07-19T14:05"),
        ("Вчера в 14:05", "2025-07-19T14:05"),
        ("昨日 14:05", "2025-07-19T14:05"),
        ("昨天 14:05", "2025-07-19T14:05"),
        ("dün 14:05", "2025-07-19T14:05"),
        ("Monday at 3:04 PM", "2025-07-14T15:04"),
        ("14:05", "2025-07-20T14:05"),
        ("5 minutes ago", "2025-07-20T11:55Z"),
        ("an hour ago", "2025-07-20T11:00Z"),
        ("6 days 1 hour ago", "2025-07-14T11:00Z"),
        ("vor 3 Tagen", "2025-07-17T12:00Z"),
        ("il y a 2 heures", "2025-07-20T10:00Z"),
        ("hace 2 horas", "2025-07-20T10:00Z"),
        ("2 ore fa", "2025-07-20T10:00Z"),
        ("há 2 horas", "2025-07-20T10:00Z"),
        ("2 uur geleden", "2025-07-20T10:00Z"),
        ("2 godziny temu", "2025-07-20T10:00Z"),
        ("2 часа назад", "2025-07-20T10:00Z"),
        ("2時間前", "2025-07-20T10:00Z"),
        ("3天前", "2025-07-17T12:00Z"),
        ("2 saat önce", "2025-07-20T10:00Z"),
        ("5m", "2025-07-20T11:55Z"),
        ("just now", "2025-07-20T12:00Z"),
    ] {
        check(text, expected);
    }
}

#[test]
fn what_is_no_time_is_not_read() {
    for text in [
        "",
        "5.0",
        "1.6.2",
        "Re: 3",
        "Posts: 1 982",
        "192.168.10.12",
        "#11",
        "sun",
        "today",
        "version 2.0.12 of it",
        "31/31/2008",
        "a man",
        "99999999999999999999",
    ] {
        let found = scan(text);
        assert!(found.is_empty() || text == "today", "`{text}`: {found:?}");
    }
    check("30 February 2008, 10:00", "");
}

#[test]
fn labels_and_stated_zones() {
    let is_noise = |label: &str| Scanner::default().is_noise(label);
    for label in ["Joined:", "Last edited by X on", "Регистрация:", "注册时间:"] {
        assert!(is_noise(label), "`{label}`");
    }
    assert!(!is_noise("Posted:") && !is_noise("« on:") && !is_noise("by"));
    for (text, expected) in [
        ("All times are GMT -5. The time now is", Some(-18_000)),
        ("Alle Zeiten sind UTC+02:00", Some(7_200)),
        ("GMT is a zone", None),
    ] {
        assert_eq!(Scanner::default().stated_offset_s(text), expected, "`{text}`");
    }
}
