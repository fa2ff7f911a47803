import Foundation
import Latchkey

/// The requests of games that hand their logins over to the store.
extension GameStore {
    /// The user's choices on the screen of a request.
    private enum Choice: CaseIterable {
        case approve, refuse, useAnotherAccount, decideLater

        var label: String {
            switch self {
            case .approve: "Approve"
            case .refuse: "Refuse"
            case .useAnotherAccount: "Use another account"
            case .decideLater: "Decide later"
            }
        }
    }

    /// The user's choices after an error.
    private enum Remedy {
        case tryAgain, useAnotherAccount

        var label: String {
            switch self {
            case .tryAgain: "Try again"
            case .useAnotherAccount: "Use another account"
            }
        }
    }

    /// Shows the request of a game, and opens the game again with the user's answer.
    ///
    /// A user who isn't logged in logs in first.
    ///
    /// - Parameter url: The URL with which the store was opened. It may come from any program, so it is never shown.
    /// - Returns: Whether the request was answered and the game was opened.
    public func answer(_ url: String) async -> Bool {
        write(Self.name)
        while true {
            let error: LatchkeyError
            do throws(LatchkeyError) {
                let approval = try await client.authorizationApproval(for: url)
                if let isAnswered = try await decide(about: approval) { return isAnswered }
                continue
            } catch let thrown {
                error = thrown
            }
            write(ErrorText.sentence(for: error))
            let remedies = remedies(for: error)
            guard !remedies.isEmpty else { return false }
            switch await choose(from: remedies, label: \.label) {
            case .tryAgain: continue
            case .useAnotherAccount: client.signOut()
            case nil: return false
            }
        }
    }

    private func remedies(for error: LatchkeyError) -> [Remedy] {
        switch error.code {
        case .unreachable, .timedOut, .serverFailed: [.tryAgain]
        case .identityMismatch: [.useAnotherAccount]
        default: []
        }
    }

    /// Asks the user about a request.
    ///
    /// - Returns: Whether the request was answered and the game was opened, or `nil` if it must be read again.
    private func decide(about approval: AuthorizationApproval) async throws(LatchkeyError) -> Bool? {
        guard approval.requiresConfirmation else {
            write("Logging you in to \(approval.gameName)…")
            return await open(try await approval.approve(), of: approval)
        }
        show(approval)
        switch await choose(from: Choice.allCases, label: \.label) {
        case .approve: return await open(try await approval.approve(), of: approval)
        case .refuse: return await open(try await approval.refuse(), of: approval)
        case .useAnotherAccount:
            try await approval.giveBack()
            client.signOut()
            return nil
        case .decideLater, nil:
            write("The request stays open until it expires.")
            return false
        }
    }

    private func show(_ approval: AuthorizationApproval) {
        write("")
        switch approval.origin {
        case .claimedHTTPS: write("\(approval.gameName) asks to log you in.")
        case .privateUseScheme(let scheme):
            // Any app can register the scheme, and then ask under this name.
            write("An app that calls itself \(approval.gameName) asks to log you in.")
            write("It opens \(scheme.singleLine): URLs.")
        case .unknown: write("An app that calls itself \(approval.gameName) asks to log you in.")
        }
        write("Your account: \(approval.account.singleLine)")
        if !approval.scopes.isEmpty { write("The app asks for these permissions:") }
        for scope in approval.scopes { write("  - \(scope.description)") }
        write("The request expires at \(Self.time(of: approval.expiresAt)).")
    }

    /// The time of day, such as `09:05 UTC`.
    private static func time(of date: Date) -> String {
        let minutes = Int(date.timeIntervalSince1970) / 60 % 1440
        let digits = [minutes / 60, minutes % 60].map { ($0 < 10 ? "0" : "") + String($0) }
        return digits.joined(separator: ":") + " UTC"
    }

    /// Opens the game with the answer.
    private func open(_ answer: String, of approval: AuthorizationApproval) async -> Bool {
        do throws(LatchkeyError) {
            try await apps.open(answer)
            return true
        } catch {
            write("\(approval.gameName) can't be opened. Log in there instead.")
            return false
        }
    }
}

extension AuthorizationApproval {
    /// The name of the game, as the server's operator has registered it.
    fileprivate var gameName: String { (client.name ?? client.id).quoted }
}

extension AuthorizationApproval.Scope {
    /// A description of the permission.
    ///
    /// The server describes only the permissions that its operator has added.
    fileprivate var description: String {
        if let text { return text.singleLine }
        return switch name {
        case "openid": "Recognize your account"
        case "profile": "See your name and your region"
        case "email": "See your e-mail address"
        case "phone": "See your phone number"
        default: name.singleLine
        }
    }
}
