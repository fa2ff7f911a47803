import LatchkeyModel

/// A text that is no template, where and why.
package struct TemplateError: Error, Hashable, Sendable {
    /// The line, counted from 1.
    package let line: Int
    package let reason: String
}

/// A text with places such as `{{code}}`, in one format.
///
/// A value reaches a text through here alone, and is written as the format wants it: nobody can forget to escape it.
/// The text is cut up once, so what fills a place is never looked at again.
struct TextTemplate<Format: TextFormat>: Sendable {
    private enum Piece: Sendable {
        case literal(String)
        case place(TemplatePlace)
    }

    private var pieces: [Piece] = []

    /// What is wrong with the text.
    private(set) var problems: [TemplateError] = []

    /// Reads a template; what is wrong with it stays literal and is among its ``problems``.
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

    /// Whether a value has a place here.
    func has(_ wanted: TemplatePlace) -> Bool {
        pieces.contains { if case .place(wanted) = $0 { true } else { false } }
    }

    /// The text of one message.
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

    private static func unknown(_ name: String) -> String {
        let known = TemplatePlace.allCases.map { "{{\($0.rawValue)}}" }.joined(separator: ", ")
        return "there is no {{\(name)}}; there are \(known)"
    }
}
