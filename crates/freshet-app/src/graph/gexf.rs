//! GEXF 1.2, for Gephi and networkx: the same graph as in `GraphML`, in Gephi's own form.

use std::fmt::Write as _;

use super::Neighbourhood;
use super::xml::escaped;

/// What nodes carry beside their label, with its type.
const NODE_KEYS: [(&str, &str); 4] =
    [("kind", "string"), ("network", "string"), ("level", "integer"), ("is_stored", "boolean")];

pub(super) fn write(around: &Neighbourhood) -> String {
    let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                   <gexf xmlns=\"http://www.gexf.net/1.2draft\" version=\"1.2\">\n\
                   \x20 <graph mode=\"static\" defaultedgetype=\"directed\">\n\
                   \x20   <attributes class=\"node\">\n"
        .to_owned();
    for (name, of) in NODE_KEYS {
        let _ = writeln!(xml, "      <attribute id=\"{name}\" title=\"{name}\" type=\"{of}\"/>");
    }
    xml += "    </attributes>\n    <attributes class=\"edge\">\n\
            \x20     <attribute id=\"link\" title=\"link\" type=\"string\"/>\n    </attributes>\n    <nodes>\n";
    for vertex in &around.vertices {
        let (id, label) = (escaped(&vertex.address), escaped(&vertex.label));
        let _ = write!(xml, "      <node id=\"{id}\" label=\"{label}\"><attvalues>");
        let (level, is_stored) = (vertex.level.to_string(), vertex.is_stored.to_string());
        let values = [&vertex.kind, &vertex.network, &level, &is_stored];
        for ((name, _), value) in NODE_KEYS.iter().zip(values) {
            let _ = write!(xml, "<attvalue for=\"{name}\" value=\"{}\"/>", escaped(value));
        }
        xml += "</attvalues></node>\n";
    }
    xml += "    </nodes>\n    <edges>\n";
    for (at, edge) in around.edges.iter().enumerate() {
        let end = |place: usize| escaped(&around.vertices[place].address);
        let link = escaped(&edge.link);
        let _ = writeln!(
            xml,
            "      <edge id=\"{at}\" source=\"{}\" target=\"{}\" label=\"{link}\"><attvalues>\
             <attvalue for=\"link\" value=\"{link}\"/></attvalues></edge>",
            end(edge.from),
            end(edge.to)
        );
    }
    xml + "    </edges>\n  </graph>\n</gexf>\n"
}

#[cfg(test)]
mod tests {
    use super::super::tests::circle;

    #[test]
    fn the_whole_document() {
        let node = |id: &str, label: &str, kind: &str, network: &str, rest: (u8, bool)| {
            format!(
                "      <node id=\"{id}\" label=\"{label}\"><attvalues><attvalue for=\"kind\" value=\"{kind}\"/>\
                 <attvalue for=\"network\" value=\"{network}\"/><attvalue for=\"level\" value=\"{}\"/>\
                 <attvalue for=\"is_stored\" value=\"{}\"/></attvalues></node>\n",
                rest.0, rest.1
            )
        };
        let edge = |at: usize, from: &str, to: &str, link: &str| {
            format!(
                "      <edge id=\"{at}\" source=\"{from}\" target=\"{to}\" label=\"{link}\"><attvalues>\
                 <attvalue for=\"link\" value=\"{link}\"/></attvalues></edge>\n"
            )
        };
        let expected = [
            r#"<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">
  <graph mode="static" defaultedgetype="directed">
    <attributes class="node">
      <attribute id="kind" title="kind" type="string"/>
      <attribute id="network" title="network" type="string"/>
      <attribute id="level" title="level" type="integer"/>
      <attribute id="is_stored" title="is_stored" type="boolean"/>
    </attributes>
    <attributes class="edge">
      <attribute id="link" title="link" type="string"/>
    </attributes>
    <nodes>
"#
            .to_owned(),
            node("social/account/1", "ada", "account", "social", (0, true)),
            node("social/post/7", "a &lt; b &amp; &quot;c&quot;", "post", "social", (1, true)),
            node("video/clip/x", "clip", "clip", "video", (2, false)),
            "    </nodes>\n    <edges>\n".to_owned(),
            edge(0, "social/account/1", "social/post/7", "pinned"),
            edge(1, "social/post/7", "social/account/1", "author"),
            edge(2, "social/post/7", "video/clip/x", "videos"),
            edge(3, "video/clip/x", "social/account/1", "by"),
            "    </edges>\n  </graph>\n</gexf>\n".to_owned(),
        ];
        assert_eq!(super::write(&circle()), expected.concat());
    }
}
