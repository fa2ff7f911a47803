import LatchkeyModel

/// A problem in a template file.
package struct TemplateError: Error, Hashable, Sendable {
    /// The line number, starting at 1, or 0 if the problem concerns the whole file.
    package let line: Int
    /// A description of the problem, such as "is empty" or "{{code}} is missing".
    package let reason: String
}

/// A template with placeholders such as `{{code}}`.
///
/// This is the only type that inserts values into text, and it always escapes them, so callers can't forget
/// to. The text is parsed only once, so inserted values are never searched for placeholders.
struct TextTemplate<Format: TextFormat>: Sendable {
    /// A piece of a template: either literal text, which isn't escaped, or a placeholder.
    private enum Piece: Sendable {
        case literal(String)
        case place(TemplatePlace)
    }

    private var pieces: [Piece] = []

    /// The problems in the template, in order of occurrence.
    private(set) var problems: [TemplateError] = []

    /// Parses a template.
    ///
    /// Placeholders that are unknown or not closed are kept as literal text and reported in ``problems``.
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

    /// Returns `true` if the template contains the given placeholder.
    func has(_ wanted: TemplatePlace) -> Bool {
        pieces.contains { if case .place(wanted) = $0 { true } else { false } }
    }

    /// Replaces the placeholders with the given values, which are escaped for this format.
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

    /// Returns an error message for an unknown placeholder.
    ///
    /// The message lists all available placeholders.
    private static func unknown(_ name: String) -> String {
        let known = TemplatePlace.allCases.map { "{{\($0.rawValue)}}" }.joined(separator: ", ")
        return "unknown placeholder {{\(name)}}; available are \(known)"
    }
}
