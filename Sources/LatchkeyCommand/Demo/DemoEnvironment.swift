import Latchkey
import LatchkeyCore
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit

/// The environment of the demo, with a server, a device and a phone that receives messages.
///
/// The server runs in the same process, and the device sends requests to it over HTTP on the loopback
/// interface.
final class DemoEnvironment: Sendable {
    /// The state that callbacks of the server and the device change from any thread.
    private struct State {
        /// The running server; `nil` while it is stopped.
        var server: IdentityServer?
        /// The port on which the server first listened, or 0 before its first start, which selects a free
        /// port.
        var port = 0
        var step = 0
        var exchanges = 0
        /// The lines with messages that the server has printed to the terminal, oldest first.
        var messages: [String] = []
    }

    private let folder: String
    private let text: ExchangeText
    private let console: Console
    private let state = Locked(State())

    /// Creates the environment without starting a server.
    ///
    /// - Parameters:
    ///   - folder: The path of an existing folder, with subfolders for the server and the device.
    ///   - text: The format of the exchanges.
    ///   - console: The console to which headings, messages and exchanges are printed.
    init(folder: String, text: ExchangeText, console: Console) {
        self.folder = folder
        self.text = text
        self.console = console
    }

    /// The number of requests that the device has sent, including those without a response.
    var exchanges: Int { state.withLock(\.exchanges) }

    /// Prints a numbered heading for the next step.
    func announce(_ sentence: String) {
        let step = state.withLock { state in
            state.step += 1
            return state.step
        }
        console.write("\n\(step). \(sentence)\n")
    }

    /// Starts the server, which uses the same port again after a restart.
    ///
    /// The server uses the default configuration except for the ports and the log level, and stores its data
    /// in the folder of the demo.
    ///
    /// - Throws: The failure that ``CommandFailure/init(starting:)`` creates.
    func startServer() async throws(CommandFailure) {
        var configuration = ServerConfiguration(data: folder + "/server")
        configuration.port = state.withLock(\.port)
        configuration.admin.port = 0
        configuration.logLevel = .warning
        var parts = ServerParts.system(logging: configuration.logLevel)
        parts.terminal = { [self] line in
            console.write(line)
            state.withLock { $0.messages.append(line) }
        }
        let server = IdentityServer(configuration: configuration, parts: parts)
        do {
            try await server.start()
        } catch {
            throw CommandFailure(starting: error)
        }
        let url = server.url ?? ""
        console.write("Latchkey listens on \(url)")
        state.withLock { state in
            state.server = server
            state.port = url.split(separator: ":").last.flatMap { Int($0) } ?? 0
        }
    }

    /// Stops the server if it is running, and returns when its database is closed.
    func stopServer() async {
        let server = state.withLock { state in
            defer { state.server = nil }
            return state.server
        }
        await server?.stop()
    }

    /// Creates a client for the device, as an app does after a restart.
    ///
    /// All clients use the same session store. Their exchanges are counted and printed as they occur.
    ///
    /// - Throws: ``CommandFailure`` if the client cannot be created.
    func makeDevice() throws(CommandFailure) -> LatchkeyClient {
        let url = "http://127.0.0.1:\(state.withLock(\.port))"
        do throws(LatchkeyError) {
            return try LatchkeyClient(
                server: url,
                app: "com.example.demo",
                store: ClientOptions.makeStore(
                    server: url,
                    app: "com.example.demo",
                    folder: folder + "/device"
                ),
                // The server is stopped when the user logs out.
                revokesSessions: false,
                exchanges: { [self] exchange in
                    state.withLock { $0.exchanges += 1 }
                    console.write(text.lines(of: exchange))
                }
            )
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Returns the code in the last message, which is the last six-digit number in its text.
    ///
    /// - Throws: ``CommandFailure`` of the kind `failed` if no code was received.
    func receivedCode() throws(CommandFailure) -> String {
        let message = state.withLock(\.messages).last ?? ""
        let words = message.split(whereSeparator: { !$0.isNumber })
        guard let code = words.last(where: { $0.count == 6 }) else {
            throw CommandFailure(.failed, message: "no code was received")
        }
        return String(code)
    }

    /// Checks that the device is logged in as the given identity.
    ///
    /// - Throws: ``CommandFailure`` of the kind `failed` if the device is not logged in as the identity.
    func checkLoggedIn(_ state: SessionState, identity: String) throws(CommandFailure) {
        guard state.session?.identity.id == identity else {
            throw CommandFailure(.failed, message: "the device is not logged in")
        }
    }

    /// Checks that the server accepts the session of the device.
    ///
    /// - Throws: ``CommandFailure`` if the request fails, or the session does not belong to the identity.
    func checkRecognised(_ device: LatchkeyClient, identity: String) async throws(CommandFailure) {
        let known = try await console.attempt("") { () async throws(LatchkeyError) in
            try await device.checkSession()
        }
        try checkLoggedIn(known, identity: identity)
    }

    /// Logs out, and checks that no request is sent.
    ///
    /// - Throws: ``CommandFailure`` if the session could not be deleted or still exists, or if a request was
    ///   sent.
    func logOut(_ device: LatchkeyClient) throws(CommandFailure) {
        let before = exchanges
        if let error = device.signOut() { throw CommandFailure(error) }
        guard case .signedOut = device.sessionState, exchanges == before else {
            throw CommandFailure(.failed, message: "the logout did not end the session immediately")
        }
        console.write("(no request was sent)")
    }
}
