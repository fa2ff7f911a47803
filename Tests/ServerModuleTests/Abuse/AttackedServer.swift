import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import Testing

/// A server whose text messages cost money, and the requests that attackers and users send to it.
struct AttackedServer: Sendable {
    let server: SelfServiceServer
    private let numbers = Locked(2_000_000)

    init(_ change: (inout ServerConfiguration) -> Void = { _ in }) async throws {
        server = try await SelfServiceServer {
            $0.courier.kind = .http
            $0.courier.url = "https://sms.example"
            $0.courier.callingCodes = ["46"]
            $0.flows.lifespan = .seconds(86_400)
            // Fewer sign-ups and wrong passwords than by default make the attack quicker to simulate.
            $0.limits.registrationsPerAddress = [Rate(60, per: .seconds(3600))]
            $0.limits.failuresPerAddress = [Rate(20, per: .seconds(3600))]
            change(&$0)
        }
    }

    /// A phone number or an account number that wasn't used before.
    func next() -> Int {
        numbers.withLock {
            $0 += 1
            return $0
        }
    }

    func newPhone(_ callingCode: String = "46") -> String { "+\(callingCode)70" + String(next()) }

    /// Requests a sign-up code by text message.
    func text(_ phone: String, from host: String) async throws -> (flow: String, answer: Answer) {
        let flow = await server.begin(.registration)
        let body = JSONValue.object([
            "phoneNumber": .string(phone), "phoneType": "PRIMARY", "flowId": .string(flow),
            "flowType": "REGISTRATION",
        ])
        return (flow, try await server.plain(.post, "/identity/verification/flow/phone", body, from: host))
    }

    /// Signs up with a phone number, and returns the statuses of both requests.
    func signUpByText(from host: String) async throws -> [Int] {
        let phone = newPhone()
        let (flow, answer) = try await text(phone, from: host)
        guard answer.status == 201 else { return [answer.status] }
        let body = JSONValue.object([
            "otp": .string(try await server.code(for: phone)), "phoneType": "PRIMARY",
            "flowId": .string(flow), "flowType": "REGISTRATION",
        ])
        let path = "/identity/verification/flow/phone"
        return [201, try await server.plain(.patch, path, body, from: host).status]
    }

    /// Requests a code by mail for an address without an account, and returns whether it was allowed.
    func mail(from host: String) async throws -> Bool {
        let flow = await server.begin(.login)
        let answer = try await server.sendCode(.login, flow, to: "p\(next())@example.org", from: host)
        return answer["state"] == "sent_email"
    }

    /// Logs in with a code that is sent by mail, and returns the statuses of both requests.
    func logInByMail(_ number: Int, from host: String) async throws -> [Int] {
        let address = "person\(number)@example.org"
        let flow = await server.begin(.login)
        let sent = try await server.sendCode(.login, flow, to: address, from: host)
        guard sent["state"] == "sent_email" else { return [sent.status] }
        let code = JSONValue.string(try await server.code(for: address))
        return [200, try await server.submitCode(.login, flow, ["code": code], from: host).status]
    }

    /// Registers an account with a password.
    func register(_ number: Int, from host: String) async throws -> Int {
        let body = JSONValue.object([
            "method": "password", "password": .string(SelfServiceServer.password),
            "traits": SelfServiceServer.traits(number),
        ])
        return try await server.submit(.registration, await server.begin(.registration), body, from: host)
            .status
    }

    /// The messages that the attackers have had sent.
    struct Haul {
        /// The text messages and mails that each network has had sent.
        var codes: [String: Int] = [:]
        /// The text messages that each network has had sent.
        var texts: [String: Int] = [:]
    }

    /// The networks of the attackers; the first ten share a block.
    static let attackers = (0..<40).map { $0 < 10 ? "10.66.\($0).1" : "10.\(100 + $0).0.1" }

    /// Makes every attacker ask as often as it is served at this time.
    func attack(
        from hosts: some Sequence<String> = AttackedServer.attackers,
        for haul: inout Haul,
        callingCode: String = "46"
    ) async throws {
        for host in hosts {
            var isServed = true
            while isServed {
                let text = try await text(newPhone(callingCode), from: host).answer.status
                let mail = try await mail(from: host)
                haul.texts[host, default: 0] += text == 201 ? 1 : 0
                haul.codes[host, default: 0] += (text == 201 ? 1 : 0) + (mail ? 1 : 0)
                isServed = mail && haul.codes[host, default: 0] < 200
            }
            for _ in 0..<2 where try await register(next(), from: host) == 429 { break }
            _ = try await server.login("p\(next())@example.org", "wrong", from: host)
        }
        await server.messagesAreSent()
    }
}
