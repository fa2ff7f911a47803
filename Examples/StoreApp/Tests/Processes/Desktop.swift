import Foundation
import LatchkeyLinux
import LatchkeyTestKit
import StoreApp
import TestProcesses
import Testing

/// A user's desktop on which the store app and the Arcade run, and their server.
///
/// There is no display and no session bus.
final class Desktop: Sendable {
    static let phone = "+436641234567"
    static let otherPhone = "+436641234568"

    private static let programs = URL(fileURLWithPath: CommandLine.arguments[0])
        .resolvingSymlinksInPath().deletingLastPathComponent().path
    private static let catalog = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Arcade/catalog.json5")
        .path()

    /// The user's home, in which all apps store their files.
    let home: TemporaryFolder
    let server: ServerProcess
    /// The URL that the apps use.
    let url: String

    /// Records the requests of the apps, if this was asked for.
    let proxy: RecordingProxy?

    private let data: TemporaryFolder

    private init(recordsRequests: Bool) async throws {
        (home, data) = (TemporaryFolder(), TemporaryFolder())
        let flags = [
            "--registration-schemas", "shopper", "--registration-existing", "log_in", "--commerce-catalog",
            Self.catalog, "--commerce-default-region", "AT",
        ]
        var server = try await ServerProcess(data: data.path, flags: flags)
        if recordsRequests {
            // The server's URL is that of the proxy, so the proxy has to be started first.
            let port = try #require(server.url.split(separator: ":").last.flatMap { Int($0) })
            let proxy = try RecordingProxy(to: port)
            await server.stop()
            url = "http://127.0.0.1:\(proxy.port)"
            server = try await ServerProcess(data: data.path, port: port, flags: flags + ["--url", url])
            self.proxy = proxy
        } else {
            (url, proxy) = (server.url, nil)
        }
        self.server = server
        let made = try await BuiltCommand.run(
            ["client", "create", "--file", "-", "--data", data.path],
            home: home.path,
            input: Self.client
        )
        try #require(made.code == 0, "\(made.text)")
    }

    /// Runs a closure with a desktop, and stops the server afterwards.
    ///
    /// - Parameters:
    ///   - recordsRequests: Whether the apps' requests are recorded.
    ///   - body: The closure.
    /// - Throws: The errors of the closure, or if the server can't be started.
    static func with(recordsRequests: Bool = false, _ body: (Desktop) async throws -> Void) async throws {
        let desktop = try await Desktop(recordsRequests: recordsRequests)
        defer { desktop.proxy?.stop() }
        do {
            try await body(desktop)
        } catch {
            await desktop.server.stop(SIGKILL)
            throw error
        }
        await desktop.server.stop()
    }

    private static let client = """
        {"client_id": "com.example.arcade", "client_name": "Arcade", "application_type": "native", \
        "redirect_uris": ["com.example.arcade://onside/login"], "scope": "openid profile", \
        "grant_types": ["authorization_code"], "token_endpoint_auth_method": "none", \
        "id_token_signed_response_alg": "ES256", \
        "latchkey": {"first_party": true, "native_session": true, "app_to_app": true}}
        """

    /// The environment of all apps.
    var environment: [String: String] {
        [
            "HOME": home.path, "XDG_DATA_HOME": home.path + "/data", "XDG_CONFIG_HOME": home.path + "/config",
            "XDG_STATE_HOME": home.path + "/state", "XDG_DATA_DIRS": home.path + "/usr",
            "XDG_CONFIG_DIRS": home.path + "/etc", "PATH": "/usr/bin:/bin", "LANG": "en_US.UTF-8",
        ]
    }

    var handlers: DesktopSchemeHandlers { DesktopSchemeHandlers(environment: environment) }

    static func path(of program: String) -> String { programs + "/" + program }

    // MARK: Apps

    /// An app on a terminal, and the user in front of it.
    struct Window {
        let terminal: PseudoTerminal
        let process: ChildProcess

        /// Waits until a text is shown, and returns everything since the previous call.
        @discardableResult
        func shows(_ text: String) async -> String { await terminal.shows(text) }

        /// Waits until the menu is shown, and chooses an item.
        func choose(_ number: String, after text: String = "Quit") async {
            await terminal.choose(number, after: text)
        }
    }

    /// Starts an app in a terminal.
    func start(_ program: String, _ arguments: String...) async throws -> Window {
        let terminal = try PseudoTerminal()
        let process = try await ChildProcess.start(
            [Self.path(of: program)] + arguments,
            environment: environment,
            terminal: terminal
        )
        return Window(terminal: terminal, process: process)
    }

    /// Starts the Arcade as a shell does, so that other apps can run in the foreground of its terminal.
    func startArcadeInForeground() async throws -> Window {
        let terminal = try PseudoTerminal()
        let process = try await ChildProcess.start(
            ["setsid", "--ctty", "--wait", Self.path(of: "ArcadeCommand"), url],
            environment: environment,
            terminal: terminal
        )
        return Window(terminal: terminal, process: process)
    }

    /// Starts the Arcade, which registers its URLs.
    func startArcade() async throws -> Window {
        try await start("ArcadeCommand", url)
    }

    /// Logs the user in to the store app.
    func logInToStore(as phone: String = phone) async throws {
        let window = try await start("StoreAppCommand", url)
        await window.choose("1")
        await logIn(on: window.terminal, as: phone)
        await window.choose("3")
        #expect(await window.process.outcome().code == 0, "\(window.terminal.transcript)")
    }

    /// Enters a phone number and the code that is sent to it.
    func logIn(on terminal: PseudoTerminal, as phone: String) async {
        _ = await terminal.shows("Phone number")
        _ = await terminal.shows(": ")
        terminal.type(phone)
        terminal.type(await server.code(sentTo: phone) ?? "")
    }

    /// Makes the store app the handler of its URLs, and returns the terminal on which it will be shown.
    ///
    /// The desktop starts the app through a script, which opens a terminal as a terminal emulator does.
    func installStore() async throws -> PseudoTerminal {
        let terminal = try PseudoTerminal()
        try await install(Self.path(of: "StoreAppCommand"), as: GameStore.id, on: terminal)
        return terminal
    }

    /// Makes a program the handler of a scheme.
    ///
    /// - Parameters:
    ///   - program: The path of the program.
    ///   - scheme: The scheme.
    ///   - terminal: The terminal on which the program is shown, if any.
    ///   - script: Commands of the shell to run before the program.
    /// - Throws: An error if a file can't be written.
    func install(
        _ program: String,
        as scheme: String,
        on terminal: PseudoTerminal? = nil,
        after script: String = ""
    ) async throws {
        // The program has to be a child of the shell. The leader of a session would get the terminal as its
        // controlling one, and would close it when it ends.
        let streams = terminal.map { "< \($0.path) > \($0.path) 2>&1" } ?? ""
        let file = try home.write(
            "#!/bin/sh\n\(script)\n\"$@\" \(streams)\nexit $?\n",
            as: "open-\(scheme)",
            mode: 0o755
        )
        try await handlers.register(
            scheme,
            name: scheme,
            program: file,
            arguments: [program, "--server", url]
        )
    }
}

extension PseudoTerminal {
    /// Waits until the last text of a menu is shown, and chooses an item.
    func choose(_ number: String, after text: String) async {
        _ = await shows(text)
        _ = await shows("> ")
        type(number)
    }
}
