/// Where in an HTML document the end of a text lies; as exact as it must be to keep values out of all but text.
enum HTMLContext: Equatable {
    case text
    case tag
    case attribute
    case comment
    /// In an element whose content is not text: `script`, `style` and the like.
    case rawText(String)

    private static let rawElements = [
        "script", "style", "title", "textarea", "xmp", "iframe", "noscript", "template",
    ]

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
            // What follows would be the name of a tag.
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

    /// What begins with the closing tag of an element.
    private static func endOfElement(_ name: String, in text: Substring) -> Substring? {
        var rest = text
        while let close = rest.firstRange(of: "</") {
            rest = rest[close.lowerBound...]
            if rest.dropFirst(2).prefix(name.count).lowercased() == name { return rest }
            rest = rest.dropFirst(2)
        }
        return nil
    }

    private enum TagEnd {
        case inside(HTMLContext)
        case after(Substring)
    }

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
