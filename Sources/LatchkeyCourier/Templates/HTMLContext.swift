/// The syntactic context at the end of an HTML fragment.
///
/// The scanner is not a full HTML parser, but it is accurate enough to reject placeholders outside of text.
enum HTMLContext: Equatable {
    /// The position is between tags, where a value is displayed as text.
    case text
    /// The position is within a tag, but not in a quoted attribute value.
    case tag
    /// The position is within a quoted attribute value.
    case attribute
    /// The position is within an unclosed comment.
    case comment
    /// The position is within an element with the given name whose content is not plain markup, such as
    /// `script` or `style`.
    case rawText(String)

    /// The elements whose content is not scanned for tags.
    private static let rawElements = [
        "script", "style", "title", "textarea", "xmp", "iframe", "noscript", "template",
    ]

    /// Determines the context at the end of a fragment.
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
            // A value inserted directly after `<` would become the name of a tag.
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

    /// Returns the rest of the text, starting at the element's closing tag; `nil` if the element is not
    /// closed.
    private static func endOfElement(_ name: String, in text: Substring) -> Substring? {
        var rest = text
        while let close = rest.firstRange(of: "</") {
            rest = rest[close.lowerBound...]
            if rest.dropFirst(2).prefix(name.count).lowercased() == name { return rest }
            rest = rest.dropFirst(2)
        }
        return nil
    }

    /// The result of scanning a tag: the text after a closed tag, or the context within an unclosed tag.
    private enum TagEnd {
        case inside(HTMLContext)
        case after(Substring)
    }

    /// Returns the text after a tag, or the context within the tag if it is not closed.
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
