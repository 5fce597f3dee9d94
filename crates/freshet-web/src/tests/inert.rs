//! Names and texts that would do harm if they were markup are shown and stay inert, wherever they stand.

use super::{NAME, SCRIPT, Visitor};

#[tokio::test]
async fn names_and_texts_stay_inert() {
    let served = Visitor::start(None, None).await;
    let pages = [
        "/",
        "/sources",
        "/sources/1",
        "/posts",
        "/posts?q=river",
        "/posts/2",
        "/posts/3",
        "/robots",
        "/graph",
        "/graph?at=2",
        "/forums",
        "/forums/forum-forum.example",
        "/networks",
    ];
    let mut shown = 0;
    for page in pages {
        let text = served.get(page).await.text().await.unwrap();
        for harm in ["<script>alert", "<img src=x", "href=\"javascript", "onerror=alert(2)>"] {
            assert!(!text.contains(harm), "{page}: {harm}\n{text}");
        }
        shown += usize::from(text.contains("&lt;img src=x"));
    }
    assert!(shown >= 3, "the name is shown, escaped");
    for asked in [SCRIPT, NAME] {
        let asked: String = url::form_urlencoded::byte_serialize(asked.as_bytes()).collect();
        for page in [
            "/sources?q=",
            "/posts?author=",
            "/login?next=",
            "/sources?state=",
            "/networks/",
            "/graph?at=",
            "/forums/",
        ] {
            let text = served.get(&format!("{page}{asked}")).await.text().await.unwrap();
            assert!(!text.contains("<script>alert") && !text.contains("<img src"), "{page}{asked}\n{text}");
        }
    }
}
