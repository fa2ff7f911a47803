package import LatchkeyModel
package import LatchkeyServerKit

/// The rules of a client for the fields of a schema, on a date.
///
/// It is a class because flows, which are copied a lot, usually have none.
package final class FieldRules: Sendable {
    package let all: [FieldRule]
    private let today: CivilDate

    /// Creates the rules that a client has for accounts with a schema.
    ///
    /// Returns `nil` if there are none.
    package init?(of client: OAuthClient, for schema: IdentitySchema, at now: Timestamp) {
        let fields = client.metadata.own.requiredFields
        guard !fields.isEmpty else { return nil }
        all = fields.compactMap { FieldRule($0, in: schema) }
        guard !all.isEmpty else { return nil }
        today = CivilDate(now)
    }

    /// Returns whether the client needs a value for a form field, such as `traits.birthday`.
    package func requires(_ name: String) -> Bool {
        all.contains { $0.isRequired && $0.field.name == name }
    }

    /// Returns whether a value fulfils one of the rules.
    package func verdict(of rule: FieldRule, on value: OrderedJSON?) -> FieldVerdict {
        rule.verdict(on: value, today: today)
    }

    /// Returns the required fields that are missing or invalid in stored members of an identity.
    func openFields(in stored: StoredTraits) -> [String] {
        all.filter { $0.isRequired && verdict(of: $0, on: stored.value(of: $0.field)) != .fulfilled }
            .map(\.field.name)
    }
}
