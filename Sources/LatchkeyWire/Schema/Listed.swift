/// An element of a list, which an older client may be unable to read without rejecting the other elements.
package enum Listed<Element: Codable & Sendable>: Sendable, Codable {
    case readable(Element)
    case unreadable(JSONValue)

    package var element: Element? {
        if case .readable(let element) = self { element } else { nil }
    }

    package var unreadableJSON: JSONValue? {
        if case .unreadable(let json) = self { json } else { nil }
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            self = .readable(try container.decode(Element.self))
        } catch {
            self = .unreadable(try container.decode(JSONValue.self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .readable(let element): try container.encode(element)
        case .unreadable(let json): try container.encode(json)
        }
    }
}
