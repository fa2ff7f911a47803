/// The part of the HTML syntax that a fragment ends in, such as text or a tag.
///
/// The scanner isn't a full HTML parser, but it is good enough to reject placeholders that aren't in text.
enum HTMLContext: Equatable {
    /// Between tags, where a value is displayed as text.
    case text
    /// Inside a tag, but not inside a quoted attribute value.
    case tag
    /// Inside a quoted attribute value.
    case attribute
    /// Inside a comment whose end hasn't been reached.
    case comment
    /// Inside an element whose content isn't regular markup, such as `script` or `style`. The associated
    /// value is the element name.
    case rawText(String)

    /// Elements whose content isn't scanned for tags.
    private static let rawElements = [
        "script", "style", "title", "textarea", "xmp", "iframe", "noscript", "template",
    ]

    /// Determines the context at the end of an HTML fragment.
    init(behind text: Substring) {
        var rest = text[...]
        while let open = rest.firstIndex(of: "<") {
            rest = rest[open...]
            if rest.hasPrefix("<!--") {
                guard let end = rest.dropFirst(4).firstRange(of: "-->") else {
                    self = .comment
                    return
                }
                rest = rest[end.upperBound...]
                continue
            }
            // If the text ends with `<`, a value that is inserted after it would become the name of a tag.
            guard let next = rest.dropFirst().first else {
                self = .tag
                return
            }
            guard
                next.isLetter || next == "/" || next == "!" || next == "?"
            else {
                rest = rest.dropFirst()
                continue
            }
            let name = rest.dropFirst().prefix { $0.isLetter || $0.isNumber }.lowercased()
            switch Self.endOfTag(rest) {
            case .inside(let context):
                self = context
                return
            case .after(let behind):
                rest = behind
            }
            guard Self.rawElements.contains(name) else { continue }
            guard let end = Self.endOfElement(name, in: rest) else {
                self = .rawText(name)
                return
            }
            rest = end
        }
        self = .text
    }

    /// Returns the text starting at the element's closing tag, or `nil` if the element isn't closed.
    private static func endOfElement(_ name: String, in text: Substring) -> Substring? {
        var rest = text
        while let close = rest.firstRange(of: "</") {
            rest = rest[close.lowerBound...]
            if rest.dropFirst(2).prefix(name.count).lowercased() == name { return rest }
            rest = rest.dropFirst(2)
        }
        return nil
    }

    /// The result of scanning a tag: either the text after the tag, or the context inside it if it isn't
    /// closed.
    private enum TagEnd {
        case inside(HTMLContext)
        case after(Substring)
    }

    /// Scans a tag.
    ///
    /// If the tag is closed, returns the text after the tag. Otherwise, returns the context at the end of the
    /// text.
    private static func endOfTag(_ tag: Substring) -> TagEnd {
        var quote: Character?
        for index in tag.indices {
            switch (tag[index], quote) {
            case (let character, let open?) where character == open: quote = nil
            case (_, _?): break
            case ("\"", nil), ("'", nil): quote = tag[index]
            case (">", nil): return .after(tag[tag.index(after: index)...])
            default: break
            }
        }
        return .inside(quote == nil ? .tag : .attribute)
    }
}
