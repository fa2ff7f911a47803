import Latchkey
import LatchkeyCore
import LatchkeyLinux
import LatchkeyUI

/// A dialog with the user about a form of the server.
struct FormDialog: Sendable {
    private let dialog: FlowDialog

    /// Creates a dialog on the terminal of the process; `nil` if there is none.
    ///
    /// The settings of the terminal are restored if a signal ends the process during a prompt.
    init?(_ client: LatchkeyClient, on console: Console) {
        guard console.isInteractive, let terminal = SystemTerminal() else { return nil }
        console.interruption.onInterruption { terminal.restore() }
        dialog = FlowDialog(
            terminal: terminal,
            flows: client.flows,
            languages: LanguagePreferences(environment: console.environment).tags
        )
    }

    /// Takes the user through a flow.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow.
    ///   - schema: The identity schema of a registration; `nil` for the server's default.
    /// - Returns: The outcome.
    /// - Throws: ``CommandFailure`` of the kind `interrupted` if the user cancelled the dialog; otherwise of the
    ///   kind that corresponds to the client's error.
    func outcome(of kind: Flow.Kind, schema: String? = nil) async throws(CommandFailure) -> FlowOutcome {
        let outcome: FlowOutcome?
        do throws(LatchkeyError) {
            outcome = try await dialog.run(kind, schema: schema)
        } catch {
            throw CommandFailure(error)
        }
        guard let outcome else { throw CommandFailure(.interrupted, message: "cancelled") }
        return outcome
    }

    /// Takes the user through a flow that opens a session.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow.
    ///   - schema: The identity schema of a registration; `nil` for the server's default.
    /// - Returns: The session.
    /// - Throws: ``CommandFailure`` as for ``outcome(of:schema:)``, and of the kind `refused` if the flow ended
    ///   without a session.
    func session(
        from kind: Flow.Kind,
        schema: String? = nil
    ) async throws(CommandFailure) -> UserSession {
        switch try await outcome(of: kind, schema: schema) {
        case .signedIn(let session, _): return session
        case .registered:
            throw CommandFailure(
                .refused,
                message: "the account was created, but no user is logged in",
                hint: "log in with: latchkey login"
            )
        default: throw CommandFailure(.refused, message: "the server did not open a session")
        }
    }
}
