import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

extension Submission {
    /// Returns the submitted traits, or the traits from an earlier step if none were submitted.
    func traits(in flow: Flow) -> OrderedJSON? {
        if let traits = body["traits"], traits != .null { return traits }
        return flow.traits.flatMap { try? JSONParser.parse($0, from: .storage) }
    }

    /// Returns the traits of a registration, or adds errors to the form and returns `nil`.
    func registeredTraits(
        in context: FormContext,
        settings: FormSettings,
        into form: inout Form
    ) -> Traits? {
        TraitValidator.read(
            traits(in: context.flow),
            schema: context.schema,
            mailboxes: settings.mailboxes(),
            into: &form
        )
    }
}

extension Form {
    /// Rejects traits that are too large to be stored in the flow (``FlowBounds/traits``).
    mutating func checkSize(of traits: Traits?) {
        guard let traits, traits.json.count > FlowBounds.traits else { return }
        messages.append(.traitsTooLarge(maximum: FlowBounds.traits))
    }

    /// Adds an error if the schema requires a verified phone number, but the number was verified neither in
    /// this flow nor with a code.
    mutating func checkPhone(
        of traits: Traits,
        in context: FormContext,
        provenByCode addresses: [ContactAddress]
    ) {
        guard let name = context.schema.policy.verifiedPhone else { return }
        if let phone = traits.phoneToVerify, addresses.contains(where: { $0.value == phone.e164 }) { return }
        guard let verified = context.flow.verifiedPhone else {
            refuse("traits." + name, with: .phoneNotVerified)
            return
        }
        if traits.phoneToVerify?.e164 != verified { refuse("traits." + name, with: .otherPhoneVerified) }
    }
}
