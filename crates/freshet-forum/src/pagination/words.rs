//! What is written on links that turn pages, in some twenty languages.

use std::sync::LazyLock;

use freshet_types::Map;

/// Where a link says it leads; the first counts most where a link says several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Direction {
    Next,
    Previous,
    Last,
    First,
}

const NEXT: &str = "next weiter nächste nächster naechste suivant suivante suiv siguiente sig successiva successivo succ avanti próxima \
próximo proxima seguinte seguente volgende następna następny dalej następne след следующая следующий вперед вперёд далее sonraki ileri nästa \
neste næste další ďalšia seuraava következő următoarea επόμενη наступна older 次 次へ 次のページ 下一页 下一頁 下页 下頁 下一張 后页 다음 berikutnya tiếp";
const PREVIOUS: &str = "prev previous zurück vorherige vorheriger vorige précédent précédente préc anterior ant precedente prec indietro \
poprzednia poprzedni wstecz пред предыдущая предыдущий назад önceki geri föregående forrige předchozí predošlá edellinen előző anterioara \
προηγούμενη попередня newer 前 前へ 前のページ 上一页 上一頁 上页 上頁 前页 이전 sebelumnya trước";
const FIRST: &str = "first erste erster première premier primera primero prima primo primeira eerste pierwsza первая ilk 最初 首页 首頁 第一页 처음";
const LAST: &str = "last letzte letzter dernière dernier última último ultima ultimo laatste ostatnia последняя son 最後 末页 末頁 尾页 尾頁 最后 마지막";

/// Where a link says it leads: its text first, then its classes, title and labels.
pub(super) fn direction(text: &str, hint: &str) -> Option<Direction> {
    let text = text.trim().to_lowercase();
    if text.chars().count() <= 40
        && let Some(direction) = by_words(&text)
    {
        return Some(direction);
    }
    by_words(hint).or_else(|| by_arrow(&text)).or_else(|| by_icon(hint))
}

/// The words and where they lead, read once.
static WORDS: LazyLock<Map<&str, Direction>> = LazyLock::new(|| {
    let lists = [
        (FIRST, Direction::First),
        (LAST, Direction::Last),
        (PREVIOUS, Direction::Previous),
        (NEXT, Direction::Next),
    ];
    let words =
        lists.into_iter().flat_map(|(list, to)| list.split_ascii_whitespace().map(move |word| (word, to)));
    words.collect()
});

/// Of several words that lead somewhere, next counts before previous, previous before last, last before first.
fn by_words(text: &str) -> Option<Direction> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.filter_map(|word| WORDS.get(word).copied()).min()
}

fn by_arrow(text: &str) -> Option<Direction> {
    match text {
        "›" | "»" | "→" | ">" | ">>" | "▶" | "►" | "⟩" | "❯" => Some(Direction::Next),
        "‹" | "«" | "←" | "<" | "<<" | "◀" | "◄" | "⟨" | "❮" => Some(Direction::Previous),
        _ => None,
    }
}

/// Icons are named after what they show.
fn by_icon(hint: &str) -> Option<Direction> {
    let is_arrow = ["chevron", "arrow", "angle", "caret"].iter().any(|name| hint.contains(name));
    match (is_arrow, hint.contains("right"), hint.contains("left")) {
        (true, true, false) if hint.contains("double") => Some(Direction::Last),
        (true, true, false) => Some(Direction::Next),
        (true, false, true) => Some(Direction::Previous),
        _ => None,
    }
}
