import Latchkey
import LatchkeyCore
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit

/// The environment of the demo: a server, a device, and a phone that receives messages.
///
/// The server runs in this process. The device sends its requests over HTTP, through the loopback interface.
final class DemoEnvironment: Sendable {
    /// The mutable state.
    ///
    /// The state is accessed by callbacks of the server and the device, which may run on any thread.
    private struct State {
        var server: IdentityServer?
        /// The port that the server listens on.
        ///
        /// The port is 0 until the server is first started, so that the system selects a free port.
        var port = 0
        var step = 0
        var exchanges = 0
        /// The lines printed by the server that contain messages, oldest first.
        var messages: [String] = []
    }

    private let folder: String
    private let text: ExchangeText
    private let console: Console
    private let state = Locked(State())

    /// Creates the environment without starting the server.
    ///
    /// - Parameters:
    ///   - folder: The path of an existing folder. The server and the device store their data in subfolders.
    ///   - text: The format in which exchanges are printed.
    ///   - console: The console that headings, messages and exchanges are printed to.
    init(folder: String, text: ExchangeText, console: Console) {
        self.folder = folder
        self.text = text
        self.console = console
    }

    /// The number of requests that the device has sent, including those that received no response.
    var exchanges: Int { state.withLock(\.exchanges) }

    /// Prints a numbered heading for the next step.
    func announce(_ sentence: String) {
        let step = state.withLock { state in
            state.step += 1
            return state.step
        }
        console.write(lines: ["", "\(step). \(sentence)", ""])
    }

    /// Starts the server.
    ///
    /// A restarted server listens on the same port as before.
    ///
    /// The server uses the default configuration except for its ports and log level. The server's data is
    /// stored in the demo's folder.
    ///
    /// - Throws: ``CommandFailure`` as created by ``CommandFailure/init(starting:)`` if the server can't be
    ///   started.
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

    /// Stops the server if it is running.
    ///
    /// This method returns after the server has closed its database.
    func stopServer() async {
        let server = state.withLock { state in
            defer { state.server = nil }
            return state.server
        }
        await server?.stop()
    }

    /// Creates a client for the device, just like an app does each time it is launched.
    ///
    /// All clients share a session store. The HTTP exchanges of every client are counted and printed.
    ///
    /// - Throws: ``CommandFailure`` if the client can't be created.
    func makeDevice() throws(CommandFailure) -> LatchkeyClient {
        let url = "http://127.0.0.1:\(state.withLock(\.port))"
        var configuration = LatchkeyConfiguration(server: url, app: "com.example.demo")
        configuration.store = ClientOptions.makeStore(
            server: url,
            app: configuration.app,
            folder: folder + "/device"
        )
        // The server is stopped before the last logout.
        configuration.revokesSessions = false
        configuration.recorder = ExchangeRecorder { [self] exchange in
            state.withLock { $0.exchanges += 1 }
            console.write(lines: text.lines(of: exchange))
        }
        do throws(LatchkeyError) {
            return try LatchkeyClient(configuration)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Returns the code from the most recent message, that is, the last six-digit number in its text.
    ///
    /// - Throws: ``CommandFailure`` with the code `failed` if no code has been received.
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
    /// - Throws: ``CommandFailure`` with the code `failed` if the device isn't logged in as this identity.
    func checkLoggedIn(_ state: SessionState, identity: String) throws(CommandFailure) {
        guard state.session?.identity.id == identity else {
            throw CommandFailure(.failed, message: "the device is not logged in")
        }
    }

    /// Checks that the server accepts the device's session.
    ///
    /// - Throws: ``CommandFailure`` if the request fails or the session belongs to a different identity.
    func checkRecognised(_ device: LatchkeyClient, identity: String) async throws(CommandFailure) {
        let known = try await console.attempt("") { () async throws(LatchkeyError) in
            try await device.checkSession()
        }
        try checkLoggedIn(known, identity: identity)
    }

    /// Logs out and checks that no request is sent.
    ///
    /// - Throws: ``CommandFailure`` if the session can't be deleted, or if logging out sends a request.
    func logOut(_ device: LatchkeyClient) throws(CommandFailure) {
        let before = exchanges
        if let error = device.signOut().storageFailure { throw CommandFailure(error) }
        guard case .signedOut = device.sessionState, exchanges == before else {
            throw CommandFailure(.failed, message: "the logout did not end the session immediately")
        }
        console.write("(no request was sent)")
    }
}
