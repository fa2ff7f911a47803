import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import Testing

/// A server on which an attacker has registered an account with another person's e-mail address.
///
/// The attacker knows the account's password and owns its phone number. Messages to the e-mail address are
/// received by the address's owner.
struct ClaimedAccount {
    static let mail = "owner@example.org"
    static let phone = "+46709000001"
    static let password = "attackers-Long-secret-1"

    let server: SelfServiceServer
    let account: Identifier
    let attackersToken: String

    /// The verification flows that were started by the registration, keyed by address.
    let verifications: [String: String]

    /// Registers the account.
    ///
    /// - Parameters:
    ///   - mail: The owner's e-mail address as the attacker types it.
    ///   - change: Changes the server's configuration.
    /// - Throws: An error if the account couldn't be created.
    init(
        typing mail: String = mail,
        _ change: @escaping (inout ServerConfiguration) -> Void = { _ in }
    ) async throws {
        server = try await SelfServiceServer {
            $0.registration.sendsVerification = true
            change(&$0)
        }
        let answer = try await server.submit(
            .registration,
            await server.begin(.registration),
            .object([
                "method": "password", "password": .string(Self.password),
                "traits": .object(["email": .string(mail), "phone": .string(Self.phone)]),
            ])
        )
        attackersToken = try #require(answer["session_token"]?.text)
        account = try #require(answer["identity"]?["id"]?.text.flatMap { Identifier($0) })
        verifications = Self.verifications(answer)
        // The courier can deliver later messages first, but the tests need the latest code.
        await server.messagesAreSent()
    }

    /// Returns the verification flows in a response, keyed by the address that they verify.
    static func verifications(_ answer: Answer) -> [String: String] {
        guard case .array(let items)? = answer["continue_with"] else { return [:] }
        var flows: [String: String] = [:]
        for item in items {
            guard let flow = item["flow"], let address = flow["verifiable_address"]?.text else { continue }
            flows[address] = flow["id"]?.text
        }
        return flows
    }

    // MARK: Actions

    /// Requests a code in a new flow and submits it.
    func enter(
        _ kind: FlowKind,
        with address: String,
        token: String? = nil,
        from host: String = "192.0.2.1"
    ) async throws -> Answer {
        await pause()
        let query = kind == .login && token != nil ? "?refresh=true" : ""
        let flow = await server.begin(kind, query, token: token)
        _ = try await server.sendCode(kind, flow, to: address, token: token, from: host)
        return try await server.submitCode(
            kind,
            flow,
            ["code": .string(try await server.code(for: address))],
            token: token,
            from: host
        )
    }

    /// Waits until another code can be requested.
    ///
    /// We wait for all messages to be sent first, because a delivery that is in progress when the clock is
    /// advanced would be abandoned.
    func pause(for duration: Duration = .seconds(31)) async {
        await server.messagesAreSent()
        server.time.advance(by: duration)
    }

    /// Verifies an address in the flow that was started by the registration.
    func verifyInside(_ address: String) async throws -> Answer {
        let flow = try #require(verifications[address])
        return try await server.submitCode(
            .verification,
            flow,
            ["code": .string(try await server.code(for: address))]
        )
    }

    /// Signs up with a code that is sent to the given address.
    func signUp(
        _ traits: [String: JSONValue],
        code address: String
    ) async throws -> Answer {
        await pause()
        let flow = await server.begin(.registration)
        _ = try await server.submitCode(.registration, flow, ["traits": .object(traits)])
        let code = try await server.code(for: address)
        return try await server.submitCode(
            .registration,
            flow,
            ["traits": .object(traits), "code": .string(code)]
        )
    }

    // MARK: Results

    /// Loads an identity from the database.
    ///
    /// By default, this is the identity of the claimed account.
    func identity(_ id: Identifier? = nil) async throws -> Identity {
        try await server.identity(id ?? account)
    }

    func isAlive(_ token: String) async -> Bool {
        await server.isAlive(token)
    }

    func canLogIn(_ identifier: String) async throws -> Bool {
        try await server.login(identifier, Self.password).status == 200
    }

    func actions(of id: Identifier? = nil) async throws -> [AuditAction] {
        try await server.actions(of: id ?? account)
    }

    /// Returns the kinds of all messages without codes that were sent to an address.
    func notices(to address: String) async -> [String] {
        await server.messagesAreSent()
        return server.inbox.messages(for: address).map(\.template)
            .filter { MessageKind(rawValue: $0)?.carriesCode == false }
    }
}

extension ContactAddress {
    static let ownersMail = ContactAddress(via: .email, value: ClaimedAccount.mail)
    static let attackersPhone = ContactAddress(via: .sms, value: ClaimedAccount.phone)
}
