import LatchkeyCourier
import LatchkeyServerKit
import LatchkeyWire

extension SettingKind<[OperatorScope]> {
    private static let example =
        #"an object such as {"orders": {"description": {"en": "See your orders"}, "audience": "https://api.example.com"}}"#

    /// The names of scopes with their descriptions and audiences.
    ///
    /// In an environment variable, the object is written as JSON.
    static let scopes = SettingKind(wanted: example) { input throws(SettingMismatch) in
        let value: JSONValue? =
            switch input {
            case .text(let text): try? JSONCoding.decodeJSON5(JSONValue.self, from: Array(text.utf8))
            case .json(let value): value
            }
        guard case .object(let members) = value else { throw SettingMismatch(input, wanted: example) }
        var scopes: [OperatorScope] = []
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            scopes.append(try OperatorScope(name, setting: value))
        }
        return scopes
    } show: { scopes in
        .object(
            Dictionary(scopes.map { ($0.name, $0.setting) }, uniquingKeysWith: { first, _ in first })
        )
    }
}

extension OperatorScope {
    fileprivate init(_ name: String, setting: JSONValue) throws(SettingMismatch) {
        if let refusal = Self.refusal(ofName: name) {
            throw SettingMismatch("contains \"\(name)\", \(refusal)")
        }
        guard case .object(let members) = setting else {
            throw SettingMismatch("contains \"\(name)\", which isn't an object")
        }
        if let stranger = members.keys.sorted().first(where: { $0 != "description" && $0 != "audience" }) {
            throw SettingMismatch("contains \"\(name)\" with the unknown member \"\(stranger)\"")
        }
        var descriptions: [Language: String] = [:]
        for (code, text) in members["description"]?.object ?? [:] {
            guard let language = Language(rawValue: code) else {
                let known = Language.allCases.map(\.rawValue).joined(separator: ", ")
                throw SettingMismatch(
                    "contains \"\(name)\" with a description in \"\(code)\", which is not one of \(known)"
                )
            }
            descriptions[language] = text.text ?? ""
        }
        guard
            let scope = OperatorScope(
                name,
                descriptions: descriptions,
                audience: members["audience"]?.text ?? ""
            )
        else {
            throw SettingMismatch(
                "contains \"\(name)\", which needs an audience and a description in English, as in "
                    + #"{"description": {"en": "See your orders"}, "audience": "https://api.example.com"}"#
            )
        }
        self = scope
    }

    fileprivate var setting: JSONValue {
        .object([
            "description": .object(
                Dictionary(
                    uniqueKeysWithValues: descriptions.map { ($0.key.rawValue, .string($0.value)) }
                )
            ),
            "audience": .string(audience),
        ])
    }
}
