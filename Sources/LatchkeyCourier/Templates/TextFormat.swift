/// A text format with rules for escaping values and for the allowed positions of placeholders.
protocol TextFormat {
    /// Returns a value escaped for the format.
    static func written(_ value: String) -> String

    /// Returns the reason why a placeholder is not allowed at the end of the given text; `nil` if it is
    /// allowed.
    ///
    /// - Parameters:
    ///   - place: The placeholder.
    ///   - text: The whole template up to the placeholder.
    /// - Returns: The reason, worded to follow the placeholder in an error message.
    static func objection(to place: TemplatePlace, behind text: Substring) -> String?
}

/// Plain text, in which line breaks and other control characters in values become spaces.
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

/// HTML, in which values are escaped, and allowed only as text between tags or, if they are digits, in quoted
/// attributes.
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
        // An attribute may be interpreted as a URL or a script, but the digits of a code cannot be either.
        case .attribute where place == .code || place == .minutes: nil
        case .attribute: "is not allowed in an attribute"
        case .tag: "is not allowed inside a tag"
        case .comment: "is not allowed in a comment"
        case .rawText(let element): "is not allowed in <\(element)>"
        }
    }
}
