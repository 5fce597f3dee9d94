//! A network that has merged lists: Mastodon's dialect, with a list of what several accounts posted.
//!
//! Networks such as Stack Exchange (posts of several users) and Reddit (several boards as one) have such lists; Mastodon has one for
//! tags only. So that worlds made of a history can be crawled that way, the [`dialect`](crate::dialect) serves one under
//! [`PATH`], and [`definition`] is the shipped definition with that list in the place of its probe.

use freshet_network::networks::Networks;

/// The shipped definition.
const MASTODON: &str = include_str!("../../../networks/mastodon.toml");
/// How the line begins that says how accounts are asked about in groups.
const PROBE: &str = "probe = { endpoint = \"several\",";
/// Where the dialect serves the merged list of accounts.
const PATH: &str = "/api/v1/timelines/accounts";

/// The definition of a network whose calls show up to so many posts of up to so many accounts.
fn definition(group: u32, page_size: u32) -> String {
    let merged = format!(
        "merged = {{ endpoint = \"accounts_posts\", group = {group}, param = \"id[]\", root = \"/account/id\" }}\n"
    );
    let lines = MASTODON
        .lines()
        .map(|line| if line.starts_with(PROBE) { merged.clone() } else { format!("{line}\n") });
    let list = format!(
        "\n[endpoints.accounts_posts]\nurl = \"{PATH}\"\nquery = {{ limit = \"{{{{ limit }}}}\" }}\nkind = \"posts\"\nroot = \"account\"\n\
         items = [{{ mapping = \"status\" }}]\npage_size = {page_size}\n\
         paging = {{ style = \"id_bound\", param = \"max_id\", ends = \"no_link\" }}\n"
    );
    lines.chain([list]).collect()
}

/// The shipped networks, of which Mastodon has a merged list of accounts.
pub(crate) fn networks(group: u32, page_size: u32) -> Networks {
    let networks = Networks::shipped();
    networks
        .apply_definition("merged.toml", &definition(group.max(2), page_size))
        .expect("the shipped definition with another list is sound");
    networks
}
