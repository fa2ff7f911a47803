import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

@testable import LatchkeyAccounts
@testable import LatchkeySelfService
@testable import LatchkeyServerKit

/// A second factor that only the tests have: the user's answer to a question.
///
/// The user sets the answer in the settings, and gives it after logging in with a password or a code. It shows
/// that a method needs no change outside its own files.
struct AnswerMethod: SignInMethod {
    private let login: AnswerLogin
    private let setup: AnswerSetup

    init(_ services: MethodServices) {
        login = AnswerLogin(services)
        setup = AnswerSetup(services)
    }

    static func form(in kind: FlowKind, settings: FormSettings) -> (any MethodForm)? {
        kind == .login || kind == .settings ? AnswerForm() : nil
    }

    func method(in kind: FlowKind) -> (any FlowMethod)? {
        switch kind {
        case .login: login
        case .settings: setup
        case .registration, .recovery, .verification: nil
        }
    }
}

extension AuthenticationMethod {
    static let answer = AuthenticationMethod("answer", reference: "kba", level: .aal2)
}

extension LimitedEvent {
    /// The answer for an account is guessed.
    static func answer(_ identity: Identifier) -> LimitedEvent {
        LimitedEvent("answer", of: identity, metric: .guessesPerRecipient) { _ in
            .sliding([Rate(5, per: .seconds(3600))])
        }
    }
}

struct AnswerForm: MethodForm {
    let name = AuthenticationMethod.answer.name
    let level = AuthenticationMethod.answer.level
    let fields = ["answer"]

    func nodes(in context: FormContext) -> [UINode] {
        [
            UINode(
                group: name,
                attributes: .init(name: "answer", type: "text", required: true),
                label: UIMessage.Label.trait("answer", title: "Answer")
            ),
            UINode(
                group: name,
                attributes: .init(name: "method", type: "submit", value: .string(name)),
                label: UIMessage.Label.proceed
            ),
        ]
    }

    func parse(_ submission: Submission, in context: FormContext) -> FlowInput<Secret> {
        var form = Form()
        guard let answer = submission.text("answer", into: &form) else { return .refused(form) }
        return .valid(Secret(answer))
    }
}

/// Compares the answer with the one that the user has set.
private struct AnswerLogin: FlowMethod {
    let form = AnswerForm()
    private let services: MethodServices

    init(_ services: MethodServices) { self.services = services }

    func perform(_ answer: Secret, in context: FlowContext) async throws -> FlowOutcome {
        let request = try LoginCompletion.Request(context)
        guard let identity = context.session?.identity else { throw FlowEnded() }
        let now = context.request.now
        let opened = try await services.environment.database.transaction { [services] transaction in
            // A right answer is counted too, which is enough for a test.
            try services.accounts.limiter.require([.answer(identity.id)], at: now, in: transaction)
            guard
                try IdentityRepository.confirm(identity.id, in: transaction),
                try CredentialRepository.all(of: identity.id, method: "answer", in: transaction)
                    .contains(where: { $0.secret == SHA256.hash(Array(answer.exposed.utf8)) })
            else { return nil as LoginCompletion.Opened? }
            return try services.login.open(
                request,
                for: identity,
                by: .answer,
                evidence: SessionEvidence(),
                at: now,
                in: transaction
            )
        }
        if let opened { return .loggedIn(opened) }
        return try await services.lifecycle.refuse(
            context.flow,
            with: LatchkeySelfService.Form(messages: [.invalidCredentials]),
            at: now,
            from: context.request.peer
        )
    }
}

/// Stores the answer, which replaces an earlier one.
private struct AnswerSetup: FlowMethod {
    let form = AnswerForm()
    private let services: MethodServices
    private let completion: SettingsCompletion

    init(_ services: MethodServices) {
        self.services = services
        completion = SettingsCompletion(services)
    }

    func perform(_ answer: Secret, in context: FlowContext) async throws -> FlowOutcome {
        let request = try completion.request(context)
        let (id, now) = (request.session.identityID, context.request.now)
        let random = services.environment.random
        let outcome = try await services.environment.database.transaction { transaction in
            guard
                try request.isStillOpen(in: transaction),
                let identity = try IdentityRepository.load(id, in: transaction)
            else { return SettingsOutcome.sessionOver }
            guard try request.isStillPrivileged(in: transaction) else { return .needsRefresh }
            for old in try CredentialRepository.all(of: id, method: "answer", in: transaction) {
                try CredentialRepository.delete(old.id, of: id, in: transaction)
            }
            let credential = Credential(
                id: Identifier(random: random),
                of: id,
                method: "answer",
                secret: SHA256.hash(Array(answer.exposed.utf8)),
                createdAt: now
            )
            try CredentialRepository.insert(credential, in: transaction)
            return .saved(identity.record, [])
        }
        return try await completion.outcome(of: outcome, in: context, by: form.name)
    }
}
