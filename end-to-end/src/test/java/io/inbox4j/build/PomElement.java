package io.inbox4j.build;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** An element of a POM, reached by the names of its children. */
record PomElement(Path file, Element element) {

  static PomElement read(Path file) {
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      return new PomElement(
          file, factory.newDocumentBuilder().parse(file.toFile()).getDocumentElement());
    } catch (IOException | SAXException | ParserConfigurationException e) {
      throw new UnreadableBuildFileException(file, e);
    }
  }

  String name() {
    return element.getTagName();
  }

  String text() {
    return element.getTextContent().strip();
  }

  List<PomElement> children() {
    List<PomElement> children = new ArrayList<>();
    for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element child) {
        children.add(new PomElement(file, child));
      }
    }
    return children;
  }

  /** The elements at the end of the path, each step of which is the name of a child. */
  List<PomElement> at(String... path) {
    List<PomElement> reached = List.of(this);
    for (String step : path) {
      reached =
          reached.stream()
              .flatMap(parent -> parent.children().stream())
              .filter(child -> child.name().equals(step))
              .toList();
    }
    return reached;
  }

  Optional<String> text(String... path) {
    return at(path).stream().findFirst().map(PomElement::text);
  }

  String required(String... path) {
    return text(path)
        .orElseThrow(
            () ->
                new UnreadableBuildFileException(
                    file, "no " + String.join("/", path) + " in " + name()));
  }

  boolean hasDescendant(String name) {
    return element.getElementsByTagName(name).getLength() > 0;
  }
}
