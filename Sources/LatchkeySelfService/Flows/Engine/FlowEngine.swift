import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Serves the routes of a kind of flow: begin, show and submit.
struct FlowEngine<SelfService: SelfServiceFlow>: Sendable {
    fileprivate let flow: SelfService
    fileprivate let methods: [any FlowMethod]
    fileprivate let forms: MethodForms
    fileprivate let lifecycle: FlowLifecycle
    fileprivate let submissions: SubmissionReader
    fileprivate let responders: FlowResponders
    fileprivate let browsers: BrowserSessions

    /// The routes of the flow.
    var endpoints: [Endpoint] {
        let kind = SelfService.kind
        let documented = DocumentedFlow(kind, forms: forms, types: responders.types)
        let starts = responders.types.map { type in
            Endpoint(
                .get,
                kind.startPath(for: type),
                accepts: .beginning(kind, for: type),
                operation: .begin(documented, for: type)
            ) { request in
                let request = type == .browser ? browsers.starting(request) : request
                return try await respond(to: request, of: type, at: .start) { _ in
                    if type == .browser { try BrowserSessions.refuseOthers(in: request) }
                    return try await flow.begin(request, for: type)
                }
            }
        }
        let show = Endpoint(
            .get,
            kind.showPath,
            accepts: .showing(kind, in: responders.carrier),
            operation: .show(documented)
        ) { request in
            let request = browsers.continuing(request)
            return try await respond(to: request, at: .show) { _ in try await flow.show(request) }
        }
        let submission = Endpoint(
            .post,
            kind.path,
            accepts: .submitting(kind, in: responders.carrier),
            operation: .submit(documented)
        ) { request in
            let request = browsers.continuing(request)
            return try await respond(to: request, at: .submission) { found in
                let outcome = try await submit(request, finding: &found)
                if outcome.completion.isComplete {
                    submissions.countCompletion(of: kind, by: outcome.completion.method)
                }
                return outcome
            }
        }
        let all = starts + [show, submission]
        guard responders.types.contains(.browser) else { return all }
        let open = Endpoint(.get, kind.path, accepts: .none, operation: .open(documented)) { request in
            try await self.open(request)
        }
        return all + [open]
    }

    /// Leads a browser to the page of a flow, or to the page of a mailed link, which contains a code.
    private func open(_ request: RequestContext) async throws -> HTTP.Response {
        let kind = SelfService.kind
        guard kind.hasMailedLinks, let code = request.query["code"].flatMap({ OneTimeCode($0) }) else {
            let request = browsers.continuing(request)
            return try await respond(to: request, of: .browser, at: .open) { _ in
                let flow = try await lifecycle.flow(kind, of: request)
                guard flow.type == .browser else { throw ServerError.notFound }
                return .shown(flow)
            }
        }
        let request = browsers.starting(request)
        var link: BrowserLink?
        var response = try await respond(to: request, of: .browser, at: .open) { _ in
            let flow = try await lifecycle.open(kind, withCode: code, in: request)
            link = flow.link
            return .shown(flow)
        }
        if let link { browsers.keep(link, of: request, in: &response) }
        return response
    }

    // MARK: Responding

    /// Responds to a request with the outcome of a closure, or with the error that it throws.
    ///
    /// The closure sets its argument to the flow that the request is about, as soon as it knows it. If no type
    /// of client is given, it is that of the flow, or else the one that the request suggests.
    private func respond(
        to request: RequestContext,
        of type: FlowType? = nil,
        at step: FlowExchange.Step,
        performing perform: (inout Flow?) async throws -> FlowOutcome
    ) async throws -> HTTP.Response {
        var found: Flow?
        let failure: any Error
        do {
            let outcome = try await perform(&found)
            let responder = responders.responder(for: type ?? outcome.flow.type, request.request)
            var exchange = FlowExchange(request: request, kind: SelfService.kind, step: step, flow: found)
            if step == .submission {
                exchange.authorizationResponse = try await lifecycle.answer(to: outcome, in: request)
                exchange.duties = await lifecycle.duties(after: outcome, in: request)
                exchange.settings = await lifecycle.settings(
                    for: exchange.duties,
                    after: outcome,
                    in: request
                )
            }
            return try responder.respond(to: .success(outcome), in: exchange)
        } catch {
            failure = error
        }
        let responder = responders.responder(for: type ?? found?.type, request.request)
        let exchange = FlowExchange(request: request, kind: SelfService.kind, step: step, flow: found)
        let response: HTTP.Response
        do throws(ServerError) {
            response = try responder.respond(to: .failure(ServerError(anything: failure)), in: exchange)
        } catch {
            // The router reports the original error, and responds with its envelope.
            throw failure
        }
        throw AnsweredError(failure, response: response)
    }

    // MARK: Submitting

    /// Looks up the flow, parses the request body and performs the submission.
    ///
    /// The flow is looked up before the body is parsed, because its schema determines the types of the form
    /// fields. If the body cannot be read, or a field is missing or invalid, the flow's form shows the error.
    ///
    /// - Throws: A ``ServerError`` with status 404 if the method is disabled, or 413 if the body is too
    ///   large. Errors thrown by the flow are rethrown.
    private func submit(_ request: RequestContext, finding found: inout Flow?) async throws -> FlowOutcome {
        try flow.requireEnabled()
        let target = try await target(of: request, finding: &found)
        if target.type == .browser { try BrowserSessions.refuseOthers(in: request) }
        let read = try submissions.read(request, to: target)
        let responder = responders.responder(for: target.type, request.request)
        let refusal = try responder.refusal(of: read, in: request, to: target)
        let context: FlowContext
        switch try await admit(request, to: target) {
        case .declined(let outcome): return outcome
        case .admitted(let admitted): context = admitted
        }
        let accepted = refusal.map { .failure($0) } ?? read
        submissions.count(accepted, to: target)
        try await lifecycle.extendAuthorization(of: target, at: request.now)
        let submission: Submission
        switch accepted {
        case .failure(let refusal):
            return try await refuse(nil, with: Form(messages: [.refusal(refusal.reason)]), in: context)
        case .success(let read): submission = read
        }
        let name = flow.methodName(of: submission)
        try await flow.requireAllowed(name, in: context)
        switch forms.choice(name, in: context.formContext) {
        case .disabled:
            throw ServerError(404, reason: "This \(SelfService.kind.rawValue) method is disabled.")
        case .unknown: break
        case .method:
            if let method = methods.first(where: { $0.form.name == name }) {
                return try await submit(submission, to: method, in: context)
            }
        }
        return try await refuse(
            submission,
            with: Form(messages: [.noStrategy(SelfService.kind)]),
            in: context
        )
    }

    /// Returns the flow that a submission is made to.
    ///
    /// - Throws: ``EarlierFlow`` if the browser has logged in since it was shown the form, which isn't processed.
    ///   Throws ``ServerError`` if another browser or another site has sent it.
    private func target(of request: RequestContext, finding found: inout Flow?) async throws -> Flow {
        do {
            let flow = try await lifecycle.flow(SelfService.kind, of: request)
            found = flow
            return flow
        } catch let earlier as EarlierFlow {
            found = earlier.flow
            try BrowserSessions.refuseOthers(in: request)
            try browsers.checkOrigin(ofEarlier: submissions.read(request, to: earlier.flow), in: request)
            throw earlier
        }
    }

    /// Checks whether a flow accepts a submission.
    ///
    /// Browsers send the form of a login twice if the user clicks twice, and only follow the second response. The
    /// second submission is then made to the flow that replaces the first one.
    private func admit(_ request: RequestContext, to target: Flow) async throws -> FlowAdmission {
        let admission = try await flow.admit(request, to: target)
        guard target.type == .browser, target.kind == .login, target.completedAt != nil,
            target.expiresAt > request.now, case .declined(.expired(let replacement)) = admission
        else { return admission }
        return try await flow.admit(request, to: replacement.flow)
    }

    private func submit(
        _ submission: Submission,
        to method: some FlowMethod,
        in context: FlowContext,
        isRepeated: Bool = false
    ) async throws -> FlowOutcome {
        switch method.form.parse(submission, in: context.formContext) {
        case .refused(let form): return try await refuse(submission, with: form, in: context)
        case .valid(let input):
            do {
                return try await method.perform(input, in: context)
            } catch is FlowEnded {
                let outcome = try await flow.ended(context)
                guard !isRepeated, let next = try await repeated(context, after: outcome, by: method) else {
                    return outcome
                }
                return try await submit(submission, to: method, in: next, isRepeated: true)
            } catch is AppRequired {
                return try await refuse(submission, with: Form(messages: [.appRequired]), in: context)
            }
        }
    }

    /// Returns the flow in which a password is checked again, because the flow has ended meanwhile.
    ///
    /// A user who clicks twice waits for the second response, while the first one has completed the flow.
    private func repeated(
        _ context: FlowContext,
        after outcome: FlowOutcome,
        by method: some FlowMethod
    ) async throws -> FlowContext? {
        guard context.flow.type == .browser, SelfService.kind == .login,
            method.form.name == AuthenticationMethod.password.name, case .expired(let replacement) = outcome,
            case .admitted(let next) = try await flow.admit(context.request, to: replacement.flow)
        else { return nil }
        return next
    }

    /// Saves the form of a rejected submission and returns it as the outcome.
    private func refuse(
        _ submission: Submission?,
        with form: Form,
        in context: FlowContext
    ) async throws -> FlowOutcome {
        try await lifecycle.refuse(
            context.flow,
            with: flow.form(form, refusing: submission, in: context),
            at: context.request.now,
            of: context.shownIdentity,
            from: context.request.peer
        )
    }
}

/// The parts that the engines of all kinds of flow share.
struct FlowEngines: Sendable {
    let methods: [any SignInMethod]
    let forms: MethodForms
    let lifecycle: FlowLifecycle
    let submissions: SubmissionReader
    let responders: FlowResponders
    let browsers: BrowserSessions

    /// Returns the routes of a kind of flow.
    func endpoints<SelfService: SelfServiceFlow>(of flow: SelfService) -> [Endpoint] {
        FlowEngine(
            flow: flow,
            methods: methods.compactMap { $0.method(in: SelfService.kind) },
            forms: forms,
            lifecycle: lifecycle,
            submissions: submissions,
            responders: responders,
            browsers: browsers
        ).endpoints
    }
}
