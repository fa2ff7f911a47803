package import LatchkeyModel
import LatchkeyWire

extension SettingKind<[String]> {
    /// A list of strings.
    ///
    /// In an environment variable or a flag, the strings are separated by commas.
    ///
    /// White space around the comma-separated elements is removed.
    package static let list = SettingKind(wanted: "a list of strings") { input throws(SettingMismatch) in
        switch input {
        case .text(let text):
            return text.split(separator: ",").map { $0.trimming(while: \.isWhitespace) }
        case .json(.array(let values)):
            let texts = values.compactMap(\.text)
            guard texts.count == values.count else {
                throw SettingMismatch(input, wanted: "a list of strings")
            }
            return texts
        default:
            throw SettingMismatch(input, wanted: "a list of strings")
        }
    } show: {
        .array($0.map { .string($0) })
    }
}

extension SettingKind<[String]> {
    /// A list of IP addresses and address ranges.
    ///
    /// Each element must be a valid ``AddressRange``.
    package static let addressRanges = SettingKind(
        wanted: "a list of IP addresses or ranges such as 10.0.0.0/8"
    ) {
        input throws(SettingMismatch) in
        let texts = try list.read(input)
        if let other = texts.first(where: { AddressRange($0) == nil }) {
            throw SettingMismatch(
                "contains \"\(other)\", which is neither an IP address nor a range such as 10.0.0.0/8"
            )
        }
        return texts
    } show: {
        list.show($0)
    }
}

extension SettingKind<Secret?> {
    /// A string that must be kept secret and is never shown.
    ///
    /// The string must not be empty.
    package static let secret = SettingKind(wanted: "a string", isSecret: true) {
        input throws(SettingMismatch) in
        switch input {
        case .text(let text) where !text.isEmpty: return Secret(text)
        case .json(.string(let text)) where !text.isEmpty: return Secret(text)
        default: throw SettingMismatch("is not a string")
        }
    } show: {
        $0.map { .string($0.description) } ?? .null
    }
}

extension SettingKind<[String: Secret]> {
    /// A JSON object whose values are secret strings.
    ///
    /// In an environment variable, the object is written as JSON.
    package static let secrets = SettingKind(wanted: "an object of strings", isSecret: true) {
        input throws(SettingMismatch) in
        let value: JSONValue? =
            switch input {
            case .text(let text): try? JSONCoding.decodeJSON5(JSONValue.self, from: Array(text.utf8))
            case .json(let value): value
            }
        guard case .object(let members) = value, members.values.allSatisfy({ $0.text != nil }) else {
            throw SettingMismatch("is not an object of strings")
        }
        return members.compactMapValues { $0.text.map { Secret($0) } }
    } show: {
        .object($0.mapValues { .string($0.description) })
    }
}

extension Substring {
    fileprivate func trimming(while unwanted: (Character) -> Bool) -> String {
        var rest = drop(while: unwanted)
        while let last = rest.last, unwanted(last) { rest.removeLast() }
        return String(rest)
    }
}
