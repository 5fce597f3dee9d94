//! The words that sites write in three languages, and their ways to write times.

use jiff::civil::DateTime;

use super::scene::FETCHED;

pub(super) struct Words {
    pub(super) code: &'static str,
    pub(super) next: &'static str,
    pub(super) previous: &'static str,
    pub(super) last: &'static str,
    pub(super) page: &'static str,
    pub(super) of: &'static str,
    pub(super) goto: &'static str,
    pub(super) posted: &'static str,
    pub(super) joined: &'static str,
    pub(super) reply: &'static str,
    pub(super) by: &'static str,
    pub(super) at: &'static str,
    pub(super) today: &'static str,
    pub(super) yesterday: &'static str,
    months: [&'static str; 12],
    days: [&'static str; 7],
}

pub(super) const ENGLISH: Words = Words {
    code: "en",
    next: "Next",
    previous: "Previous",
    last: "Last",
    page: "Page",
    of: "of",
    goto: "Goto page",
    posted: "Posted",
    joined: "Joined",
    reply: "Reply",
    by: "by",
    at: "at",
    today: "Today",
    yesterday: "Yesterday",
    months: [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    days: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
};

pub(super) const GERMAN: Words = Words {
    code: "de",
    next: "Weiter",
    previous: "Zurück",
    last: "Letzte",
    page: "Seite",
    of: "von",
    goto: "Gehe zu Seite",
    posted: "Verfasst am",
    joined: "Registriert",
    reply: "Antwort",
    by: "von",
    at: "um",
    today: "Heute",
    yesterday: "Gestern",
    months: [
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ],
    days: ["Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"],
};

pub(super) const FRENCH: Words = Words {
    code: "fr",
    next: "Suivante",
    previous: "Précédente",
    last: "Dernière",
    page: "Page",
    of: "sur",
    goto: "Aller à la page",
    posted: "Posté le",
    joined: "Inscrit le",
    reply: "Réponse",
    by: "par",
    at: "à",
    today: "Aujourd'hui",
    yesterday: "Hier",
    months: [
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ],
    days: ["Lun", "Mar", "Mer", "Jeu", "Ven", "Sam", "Dim"],
};

impl Words {
    pub(super) fn month(&self, at: DateTime) -> &'static str {
        self.months[at.month() as usize - 1]
    }

    /// Three letters of the month; four where French has two months that begin alike.
    pub(super) fn short_month(&self, at: DateTime) -> String {
        self.month(at).chars().take(if self.code == "fr" { 4 } else { 3 }).collect()
    }

    pub(super) fn day(&self, at: DateTime) -> &'static str {
        self.days[at.date().weekday().to_monday_zero_offset() as usize]
    }

    /// Today or yesterday, where it was then.
    pub(super) fn near(&self, at: DateTime) -> Option<&'static str> {
        let yesterday = FETCHED.date().yesterday().expect("there is a day before");
        if at.date() == FETCHED.date() {
            Some(self.today)
        } else if at.date() == yesterday {
            Some(self.yesterday)
        } else {
            None
        }
    }

    /// A time of day: by halves of twelve hours in English.
    pub(super) fn clock(&self, at: DateTime, is_seconds: bool) -> String {
        let form = match (self.code, is_seconds) {
            ("en", false) => "%I:%M %p",
            ("en", true) => "%I:%M:%S %p",
            ("fr", false) => "%Hh%M",
            (_, false) => "%H:%M",
            (_, true) => "%H:%M:%S",
        };
        at.strftime(form).to_string()
    }

    /// A date of numbers as the language's country writes it.
    pub(super) fn numbers(&self, at: DateTime) -> String {
        let form = match self.code {
            "en" => "%m-%d-%Y",
            "de" => "%d.%m.%Y",
            _ => "%d/%m/%Y",
        };
        at.strftime(form).to_string()
    }

    /// How long ago, in two units.
    pub(super) fn ago(&self, at: DateTime) -> String {
        let minutes = at.duration_until(FETCHED).as_mins();
        let units: [&str; 4] = match self.code {
            "de" => ["Woche", "Tag", "Stunde", "Minute"],
            "fr" => ["semaine", "jour", "heure", "minute"],
            _ => ["week", "day", "hour", "minute"],
        };
        let plural = |amount: i64, unit: &str| {
            let ending = match (self.code, unit) {
                _ if amount == 1 => "",
                ("de", "Tag") => "en",
                ("de", _) => "n",
                _ => "s",
            };
            format!("{amount} {unit}{ending}")
        };
        let mut left = minutes;
        let parts = [10_080, 1_440, 60, 1].into_iter().zip(units).filter_map(|(length, unit)| {
            let amount = left / length;
            left %= length;
            (amount > 0).then(|| plural(amount, unit))
        });
        let parts = parts.take(2).collect::<Vec<_>>().join(", ");
        match self.code {
            "de" => format!("vor {parts}"),
            "fr" => format!("il y a {parts}"),
            _ => format!("{parts} ago"),
        }
    }
}
