/// Defines how values are escaped in a text format and where placeholders are allowed.
protocol TextFormat {
    /// Escapes a value for this format.
    static func written(_ value: String) -> String

    /// Returns the reason why a placeholder isn't allowed at the end of the given text, or `nil` if it is
    /// allowed.
    ///
    /// - Parameters:
    ///   - place: The placeholder.
    ///   - text: The template up to the placeholder.
    /// - Returns: The reason, phrased so that it can follow the name of the placeholder in an error message.
    static func objection(to place: TemplatePlace, behind text: Substring) -> String?
}

/// The format for plain text.
///
/// Line breaks and other control characters in values are replaced with spaces.
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

/// The format for HTML, which escapes values.
///
/// Values can be placed in text between tags and, if they consist of digits or are addresses of this server, also in
/// quoted attributes.
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
        // An attribute might be a URL or a script. It is only safe to insert values that consist of digits, and
        // the server's own addresses.
        case .attribute where [.code, .minutes, .link].contains(place): nil
        case .attribute: "is not allowed in an attribute"
        case .tag: "is not allowed inside a tag"
        case .comment: "is not allowed in a comment"
        case .rawText(let element): "is not allowed in <\(element)>"
        }
    }
}
