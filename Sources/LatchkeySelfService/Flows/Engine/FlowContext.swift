package import LatchkeyAccounts
package import LatchkeyServerKit

/// The inputs for handling a submission to a flow, besides its body.
package struct FlowContext: Sendable {
    package let request: RequestContext

    /// The flow, which was open when it was read.
    ///
    /// It may have ended since then, so the transaction that changes it checks this again.
    package let flow: Flow

    /// The identity schema that defines the fields of the form.
    package let schema: IdentitySchema

    /// The caller's session, or `nil` if there is none or the flow doesn't need one.
    package let session: AuthenticatedSession?

    /// The values that a settings form shows by default, or an empty form.
    package let form: Form

    package init(
        _ request: RequestContext,
        flow: Flow,
        schema: IdentitySchema,
        session: AuthenticatedSession? = nil,
        form: Form = Form()
    ) {
        self.request = request
        self.flow = flow
        self.schema = schema
        self.session = session
        self.form = form
    }

    /// The identity that a settings flow shows, or `nil` for other flows.
    package var shownIdentity: IdentityRecord? { flow.kind == .settings ? session?.identity : nil }

    /// The part of the context that parsing a submission depends on.
    package var formContext: FormContext {
        var context = FormContext(flow, schema: schema, form: form)
        context.waived = shownIdentity?.waivedFields ?? []
        if flow.dutyFields != nil { context.traits = shownIdentity?.traits }
        return context
    }
}

/// The result of checking whether a flow accepts a submission.
package enum FlowAdmission: Sendable {
    /// The flow is open, and the caller is allowed to submit to it.
    case admitted(FlowContext)
    /// The flow has ended or rejects this caller, so the submission isn't parsed.
    case declined(FlowOutcome)
}
