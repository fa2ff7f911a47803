import Latchkey

/// The account page of a shop app.
///
/// The class determines which screen the page shows, and performs the actions of the screen's buttons.
@MainActor
final class ShopAccount {
    /// The screen that the page shows.
    enum Screen: Equatable {
        /// An empty screen, which is shown until the app has read the session after it was started.
        case starting
        /// The login fields and a button that starts a sign-up.
        case welcome
        /// A field for the code that was sent.
        case code
        /// Fields in which a new user enters a passcode and a name.
        case profile
        /// A greeting and the user's orders.
        case home(name: String)
        /// A request to unlock the device. While the device is locked, the app does not know whether a user
        /// is logged in.
        case locked
    }

    private(set) var screen = Screen.starting

    /// The last error as a message for the user, or `nil` after a successful action.
    private(set) var notice: String?

    private(set) var orders: [String] = []

    private let latchkey: LatchkeyClient
    // The screen to show while no user is logged in.
    private var step = Screen.welcome
    private var sent: CodeStep<SignUp.PhoneVerified>?
    private var verified: SignUp.PhoneVerified?

    init(_ latchkey: LatchkeyClient) {
        self.latchkey = latchkey
    }

    /// Validates the session.
    ///
    /// Call this when the app has started and whenever it enters the foreground.
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

    /// Runs an action, shows an error if it fails, and updates the screen to match the session's state.
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
        case (.codeInvalid, _): "The code is wrong."
        case (.codeExpired, _), (.flowExpired, _): "That took too long. Please start again."
        case (.invalidCredentials, _): "The number or the passcode is wrong."
        case (.unreachable, _), (.timedOut, _): "There is no connection."
        case (.storageUnavailable, _): "Please unlock this device."
        case (.signedOut, _), (.sessionEnded, _): "Please log in."
        default: "That did not work. Please try again."
        }
    }
}
