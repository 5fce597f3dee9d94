//! `GraphML`, for networkx, Gephi, yEd, igraph: a directed graph, addresses as ids, what is known of each object and link as its data.

use std::fmt::Write as _;

use super::Neighbourhood;
use super::xml::escaped;

/// What nodes carry, with its type.
const NODE_KEYS: [(&str, &str); 5] = [
    ("label", "string"),
    ("kind", "string"),
    ("network", "string"),
    ("level", "int"),
    ("is_stored", "boolean"),
];

pub(super) fn write(around: &Neighbourhood) -> String {
    let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                   <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
        .to_owned();
    for (name, of) in NODE_KEYS {
        let _ = writeln!(xml, "  <key id=\"{name}\" for=\"node\" attr.name=\"{name}\" attr.type=\"{of}\"/>");
    }
    xml += "  <key id=\"link\" for=\"edge\" attr.name=\"link\" attr.type=\"string\"/>\n\
            \x20 <graph edgedefault=\"directed\">\n";
    for vertex in &around.vertices {
        let _ = writeln!(xml, "    <node id=\"{}\">", escaped(&vertex.address));
        let (level, is_stored) = (vertex.level.to_string(), vertex.is_stored.to_string());
        let values = [&vertex.label, &vertex.kind, &vertex.network, &level, &is_stored];
        for ((name, _), value) in NODE_KEYS.iter().zip(values) {
            let _ = writeln!(xml, "      <data key=\"{name}\">{}</data>", escaped(value));
        }
        xml += "    </node>\n";
    }
    for (at, edge) in around.edges.iter().enumerate() {
        let end = |place: usize| escaped(&around.vertices[place].address);
        let _ = writeln!(
            xml,
            "    <edge id=\"e{at}\" source=\"{}\" target=\"{}\"><data key=\"link\">{}</data></edge>",
            end(edge.from),
            end(edge.to),
            escaped(&edge.link)
        );
    }
    xml + "  </graph>\n</graphml>\n"
}

#[cfg(test)]
mod tests {
    use super::super::tests::circle;

    #[test]
    fn the_whole_document() {
        let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="label" for="node" attr.name="label" attr.type="string"/>
  <key id="kind" for="node" attr.name="kind" attr.type="string"/>
  <key id="network" for="node" attr.name="network" attr.type="string"/>
  <key id="level" for="node" attr.name="level" attr.type="int"/>
  <key id="is_stored" for="node" attr.name="is_stored" attr.type="boolean"/>
  <key id="link" for="edge" attr.name="link" attr.type="string"/>
  <graph edgedefault="directed">
    <node id="social/account/1">
      <data key="label">ada</data>
      <data key="kind">account</data>
      <data key="network">social</data>
      <data key="level">0</data>
      <data key="is_stored">true</data>
    </node>
    <node id="social/post/7">
      <data key="label">a &lt; b &amp; &quot;c&quot;</data>
      <data key="kind">post</data>
      <data key="network">social</data>
      <data key="level">1</data>
      <data key="is_stored">true</data>
    </node>
    <node id="video/clip/x">
      <data key="label">clip</data>
      <data key="kind">clip</data>
      <data key="network">video</data>
      <data key="level">2</data>
      <data key="is_stored">false</data>
    </node>
    <edge id="e0" source="social/account/1" target="social/post/7"><data key="link">pinned</data></edge>
    <edge id="e1" source="social/post/7" target="social/account/1"><data key="link">author</data></edge>
    <edge id="e2" source="social/post/7" target="video/clip/x"><data key="link">videos</data></edge>
    <edge id="e3" source="video/clip/x" target="social/account/1"><data key="link">by</data></edge>
  </graph>
</graphml>
"#;
        assert_eq!(super::write(&circle()), expected);
    }
}
