import Latchkey

/// The account page of a shop: what is on the screen, and what the buttons do.
@MainActor
final class ShopAccount {
    /// What is on the screen.
    enum Screen: Equatable {
        /// Nothing yet: the app has only just started.
        case starting
        /// The fields to log in with, and the way to a new account.
        case welcome
        /// The field for the code that is on its way.
        case code
        /// The fields for a passcode and a name.
        case profile
        /// A greeting, and the orders of whoever is logged in.
        case home(name: String)
        /// A request to unlock the device: until then nobody can tell who is logged in.
        case locked
    }

    private(set) var screen = Screen.starting

    /// What went wrong last, in words for the person.
    private(set) var notice: String?

    private(set) var orders: [String] = []

    private let latchkey: LatchkeyClient
    private var step = Screen.welcome
    private var sent: SignUp.CodeSent?
    private var verified: SignUp.PhoneVerified?

    init(_ latchkey: LatchkeyClient) {
        self.latchkey = latchkey
    }

    /// The page appears: when the app has started, and whenever it comes to the front.
    func appear() async {
        await attempt { try await self.latchkey.checkSession() }
    }

    func beginSignUp(phone: String) async {
        await attempt {
            self.sent = try await self.latchkey.signUp.begin(phone: phone)
            self.step = .code
        }
    }

    func enter(code: String) async {
        await attempt {
            self.verified = try await self.sent?.verify(code)
            self.step = .profile
        }
    }

    func finishSignUp(passcode: String, first: String, last: String) async {
        await attempt {
            try await self.verified?.finish(password: passcode, name: PersonName(first: first, last: last))
            self.step = .welcome
        }
    }

    func logIn(phone: String, passcode: String) async {
        await attempt { try await self.latchkey.signIn(phone: phone, password: passcode) }
    }

    func showOrders() async {
        await attempt {
            let (_, answer) = try await self.latchkey.data(from: "https://api.shop.example/orders")
            guard answer.status == 200 else { return }
            self.orders = String(decoding: answer.body, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    func logOut() {
        latchkey.signOut()
        orders = []
        notice = nil
        show(latchkey.sessionState)
    }

    private func attempt(_ work: @MainActor () async throws -> Void) async {
        notice = nil
        do {
            try await work()
        } catch {
            notice = Self.words(for: error)
        }
        show(latchkey.sessionState)
    }

    private func show(_ state: SessionState) {
        switch state {
        case .signedIn(let session): screen = .home(name: session.identity.name?.first ?? "you")
        case .signedOut: screen = step
        case .unavailable(.notReadYet): screen = .starting
        case .unavailable(.store): screen = .locked
        }
    }

    private static func words(for error: any Error) -> String {
        guard let error = error as? LatchkeyError else { return "\(error)" }
        return switch (error.code, error.retry) {
        case (.tooManyRequests, .after(let wait)): "Please wait \(wait.components.seconds) seconds."
        case (.codeInvalid, _): "That is not the code."
        case (.codeExpired, _), (.flowExpired, _): "That took too long. Please begin again."
        case (.invalidCredentials, _): "The number or the passcode is wrong."
        case (.unreachable, _), (.timedOut, _): "There is no connection."
        case (.storageUnavailable, _): "Please unlock this device."
        case (.signedOut, _), (.sessionEnded, _): "Please log in."
        default: "That did not work. Please try again."
        }
    }
}
