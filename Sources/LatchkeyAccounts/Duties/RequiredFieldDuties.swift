import LatchkeyServerKit
import LatchkeyWire

/// Asks for the fields that the session's client requires.
struct RequiredFieldDuties: DutySource {
    let schemas: SchemaCatalog

    func duties(for question: DutyQuestion) -> [AccountDuty] {
        guard let client = question.client, !client.metadata.own.requiredFields.isEmpty,
            let schema = schemas[question.account.schemaID],
            let rules = FieldRules(of: client, for: schema, at: question.now)
        else { return [] }
        let fields = rules.openFields(in: StoredTraits(in: question.account.body))
        guard !fields.isEmpty else { return [] }
        let isBlocking = client.metadata.own.blocking.contains(OwnClientMembers.RequiredField.blockingName)
        return [AccountDuty(.completeProfile, fields: fields, isBlocking: isBlocking)]
    }
}
