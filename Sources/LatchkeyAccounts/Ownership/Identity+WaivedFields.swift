import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The fields that an identity lost through the rules of address ownership.
///
/// If the schema requires such a field, the account may leave it out until the user enters a new value. All
/// other required fields must be present, for users and for operators.
extension Identity {
    /// Whether the account was never confirmed and has no address or other identifier left.
    ///
    /// No user can log in to such an account, and only its sessions remain.
    package var isStranded: Bool {
        confirmedAt == nil && identifiers.isEmpty && recovery.isEmpty
    }

    /// Returns the required fields whose value is the given address.
    func requiredFields(with address: ContactAddress, by schema: IdentitySchema?) -> Set<String> {
        requiredFields(by: schema) { value in
            guard case .string(let text)? = value else { return false }
            return LoginIdentifier.normalize(text) == address.value
        }
    }

    /// Returns the required fields that the given traits lack although the identity's own traits have them.
    func requiredFields(missingIn other: Identity, by schema: IdentitySchema?) -> Set<String> {
        requiredFields(by: schema) { $0 != nil }.subtracting(other.requiredFields(by: schema) { $0 != nil })
    }

    /// Returns the waived fields that are still missing after the traits have changed.
    ///
    /// A field that contains a released address still counts as missing.
    func waivedFields(after traits: Traits, by schema: IdentitySchema) -> Set<String> {
        guard !waivedFields.isEmpty else { return [] }
        let values = try? JSONParser.parse(traits.json, from: .storage)
        return Set(
            schema.fields.filter { field in
                guard field.isRequired, waivedFields.contains(field.name) else { return false }
                switch values?.value(at: field.path) {
                case nil: return true
                case .string(let text)?: return text.isEmpty || isReleased(LoginIdentifier.normalize(text))
                default: return false
                }
            }.map(\.name)
        )
    }

    /// Returns the traits that contain only the given address and, if it is a phone number and the schema has
    /// a region, the number's region.
    func traits(keeping address: ContactAddress, by schema: IdentitySchema?) -> [UInt8] {
        let all = (try? JSONParser.parse(traits, from: .storage)) ?? .object([])
        var kept =
            all.keeping { text in
                text.utf8.count <= LoginIdentifier.byteLimit
                    && LoginIdentifier.normalize(text) == address.value
            } ?? .object([])
        if address.via == .sms, let schema, let phone = PhoneNumber(address.value),
            let region = Region(callingCodeOf: phone)
        {
            kept = kept.setting(region, by: schema) ?? kept
        }
        var writer = JSONWriter(reserving: 128)
        writer.value(ordered: kept)
        return writer.bytes
    }

    private func requiredFields(
        by schema: IdentitySchema?,
        where isIncluded: (OrderedJSON?) -> Bool
    ) -> Set<String> {
        guard let schema, let values = try? JSONParser.parse(traits, from: .storage) else { return [] }
        return Set(
            schema.fields.filter { $0.isRequired && isIncluded(values.value(at: $0.path)) }.map(\.name)
        )
    }
}

extension IdentityRecord {
    /// The names of the form fields that may be missing even if the schema requires them, such as
    /// `traits.phone`.
    package var waivedFields: Set<String> {
        Set(waived?.split(separator: "\n").map(String.init) ?? [])
    }
}

extension OrderedJSON {
    /// Returns the value at a path of member names, or `nil` if there is none.
    fileprivate func value(at path: [String]) -> OrderedJSON? {
        path.reduce(self) { value, name in value?[name] }
    }

    /// Returns the objects and members that lead to accepted strings, or `nil` if there are none.
    fileprivate func keeping(_ isKept: (String) -> Bool) -> OrderedJSON? {
        switch self {
        case .string(let text): return isKept(text) ? self : nil
        case .object(let members):
            let kept = members.compactMap { member in
                member.value.keeping(isKept).map { Member(name: member.name, value: $0) }
            }
            return kept.isEmpty ? nil : .object(kept)
        default: return nil
        }
    }
}
