import LatchkeyModel

/// A problem in a template, with its line and the reason.
package struct TemplateError: Error, Hashable, Sendable {
    /// The line number, counted from 1; 0 if the problem concerns the whole file.
    package let line: Int
    /// The reason, such as "is empty" or "{{code}} is missing".
    package let reason: String
}

/// A template in one text format, with placeholders such as `{{code}}`.
///
/// Only this type inserts values, and it always escapes them for the format, so callers cannot forget to
/// escape them. The text is parsed once, so inserted values are not searched for placeholders.
struct TextTemplate<Format: TextFormat>: Sendable {
    /// A part of a template: fixed text, which is not escaped, or a placeholder.
    private enum Piece: Sendable {
        case literal(String)
        case place(TemplatePlace)
    }

    private var pieces: [Piece] = []

    /// The problems in the text, in order; empty for a valid template.
    private(set) var problems: [TemplateError] = []

    /// Parses the text of a template.
    ///
    /// An unknown or unclosed placeholder stays in the text and is reported in ``problems``.
    init(_ text: String) {
        var rest = text[...]
        while let open = rest.firstRange(of: "{{") {
            pieces.append(.literal(String(rest[..<open.lowerBound])))
            let line = text[..<open.lowerBound].count { $0.isNewline } + 1
            guard let close = rest[open.upperBound...].firstRange(of: "}}") else {
                problems.append(TemplateError(line: line, reason: "{{ is not closed by }}"))
                rest = rest[open.lowerBound...]
                break
            }
            let name = rest[open.upperBound..<close.lowerBound].filter { $0 != " " }
            if let place = TemplatePlace(rawValue: name) {
                if let objection = Format.objection(to: place, behind: text[..<open.lowerBound]) {
                    problems.append(TemplateError(line: line, reason: "{{\(name)}} \(objection)"))
                }
                pieces.append(.place(place))
            } else {
                problems.append(TemplateError(line: line, reason: Self.unknown(name)))
                pieces.append(.literal(String(rest[open.lowerBound..<close.upperBound])))
            }
            rest = rest[close.upperBound...]
        }
        pieces.append(.literal(String(rest)))
    }

    /// Returns whether the template contains a placeholder.
    func has(_ wanted: TemplatePlace) -> Bool {
        pieces.contains { if case .place(wanted) = $0 { true } else { false } }
    }

    /// Returns the text with its placeholders replaced by one message's values, which are escaped for the
    /// format.
    func fill(_ values: TemplateValues) -> Secret {
        var text = ""
        for piece in pieces {
            switch piece {
            case .literal(let literal): text += literal
            case .place(let place): text += Format.written(values[place])
            }
        }
        return Secret(text)
    }

    /// Returns the error message for an unknown placeholder, which lists all known placeholders.
    private static func unknown(_ name: String) -> String {
        let known = TemplatePlace.allCases.map { "{{\($0.rawValue)}}" }.joined(separator: ", ")
        return "unknown placeholder {{\(name)}}; available are \(known)"
    }
}
