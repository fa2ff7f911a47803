/// A kind of text, and how a value is written in it so that it stays a value.
protocol TextFormat {
    /// The value as it stands in a text.
    static func written(_ value: String) -> String

    /// Why a place may not stand behind a text; nothing when it may.
    static func objection(to place: TemplatePlace, behind text: Substring) -> String?
}

/// Text that is read as it stands: no value brings lines or control characters of its own.
enum PlainFormat: TextFormat {
    static func written(_ value: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in value.unicodeScalars {
            let isControl =
                scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value == 0x2028
                || scalar.value == 0x2029
            line.append(isControl ? " " : scalar)
        }
        return String(line)
    }

    static func objection(to place: TemplatePlace, behind text: Substring) -> String? { nil }
}

/// HTML: a value is text between tags or within a quoted attribute, never markup.
enum HTMLFormat: TextFormat {
    static func written(_ value: String) -> String {
        var html = ""
        for character in PlainFormat.written(value).unicodeScalars {
            switch character {
            case "&": html += "&amp;"
            case "<": html += "&lt;"
            case ">": html += "&gt;"
            case "\"": html += "&quot;"
            case "'": html += "&#39;"
            default: html.unicodeScalars.append(character)
            }
        }
        return html
    }

    static func objection(to place: TemplatePlace, behind text: Substring) -> String? {
        switch HTMLContext(behind: text) {
        case .text: nil
        // An attribute may be an address or a script to its reader; digits are neither.
        case .attribute where place == .code || place == .minutes: nil
        case .attribute: "may not stand in an attribute"
        case .tag: "may not stand within a tag"
        case .comment: "may not stand in a comment"
        case .rawText(let element): "may not stand in <\(element)>"
        }
    }
}
