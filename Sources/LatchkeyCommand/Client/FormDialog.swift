import Latchkey
import LatchkeyCore
import LatchkeyTerminal

/// Guides the user through the server's forms on the terminal.
struct FormDialog: Sendable {
    private let dialog: FlowDialog

    /// Creates a dialog on the terminal of this process.
    ///
    /// Returns `nil` if the process doesn't have a terminal.
    init?(_ client: LatchkeyClient, on console: Console) {
        guard let terminal = console.terminal else { return nil }
        dialog = FlowDialog(terminal: terminal, flows: client.flows)
    }

    /// Guides the user through a flow.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow.
    ///   - schema: The identity schema for a registration, or `nil` for the server's default schema.
    /// - Returns: The outcome of the flow.
    /// - Throws: ``CommandFailure`` with the code `interrupted` if the user cancels the dialog. For other
    ///   errors, the code depends on the client's error.
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

    /// Guides the user through a flow that logs them in.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow.
    ///   - schema: The identity schema for a registration, or `nil` for the server's default schema.
    /// - Returns: The new session.
    /// - Throws: ``CommandFailure`` with the code `refused` if the flow completes without a session, or any
    ///   error thrown by ``outcome(of:schema:)``.
    func session(
        from kind: Flow.Kind,
        schema: String? = nil
    ) async throws(CommandFailure) -> UserSession {
        switch try await outcome(of: kind, schema: schema) {
        case .signedIn(let session, _): return session
        case .registered:
            throw CommandFailure(
                .refused,
                message: "the account was created, but you are not logged in",
                hint: "log in with: latchkey login"
            )
        default: throw CommandFailure(.refused, message: "the server did not create a session")
        }
    }
}
