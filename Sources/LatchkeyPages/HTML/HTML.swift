/// A writer for HTML that escapes all dynamic text.
///
/// Elements and the names of attributes come from closed types, so no string from a request can become markup.
package struct HTML: Sendable {
    /// The HTML in UTF-8.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Creates HTML from a function that writes it.
    package init(_ content: (inout HTML) -> Void) {
        content(&self)
    }

    /// Appends a text, escaped.
    package mutating func text(_ text: String) {
        append(escaping: text)
    }

    /// Appends other HTML.
    package mutating func append(_ html: HTML) {
        bytes += html.bytes
    }

    /// Appends a text that came from another party, such as the name of a client.
    ///
    /// The element `bdi` isolates the direction of the text, so that it can't reorder the text around it.
    package mutating func untrusted(_ text: UntrustedText) {
        add(.bdi) { $0.text(text.text) }
    }

    /// Appends an element with its end tag.
    ///
    /// Attributes that are `nil` are left out.
    package mutating func add(
        _ element: Element,
        with attributes: [Attribute?] = [],
        content: (inout HTML) -> Void = { _ in }
    ) {
        startTag(element.rawValue, with: attributes)
        content(&self)
        bytes += "</".utf8
        bytes += element.rawValue.utf8
        bytes.append(UInt8(ascii: ">"))
    }

    /// Appends an element that has no content and no end tag.
    package mutating func add(_ element: VoidElement, with attributes: [Attribute?]) {
        startTag(element.rawValue, with: attributes)
    }

    /// Appends the document type.
    mutating func doctype() {
        bytes += "<!DOCTYPE html>".utf8
    }

    private mutating func startTag(_ name: String, with attributes: [Attribute?]) {
        bytes.append(UInt8(ascii: "<"))
        bytes += name.utf8
        for case let attribute? in attributes {
            bytes.append(UInt8(ascii: " "))
            bytes += attribute.name.utf8
            guard let value = attribute.value else { continue }
            bytes += "=\"".utf8
            append(escaping: value)
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: ">"))
    }

    /// Appends a text so that it has the same meaning in an element and in a quoted attribute.
    ///
    /// Control characters are parse errors in HTML, and some end a URL's scheme, so they become U+FFFD.
    private mutating func append(escaping text: String) {
        var text = text
        text.withUTF8 { utf8 in
            var start = utf8.startIndex
            for index in utf8.indices {
                guard let escape = Self.escape(utf8[index]) else { continue }
                bytes += utf8[start..<index]
                bytes += escape.utf8
                start = utf8.index(after: index)
            }
            bytes += utf8[start...]
        }
    }

    private static func escape(_ byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        case 0x09, 0x0A: nil
        case 0..<0x20, 0x7F: "\u{FFFD}"
        default: nil
        }
    }
}
