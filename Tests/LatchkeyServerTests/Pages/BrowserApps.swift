import Foundation
import Latchkey
import LatchkeyLinux
import TestProcesses
import Testing

/// Apps on one device, whose user logs in in headless Chromium at a server that logs everything.
///
/// The server sends its messages to the script that is the user, because the development courier would print codes
/// among the log lines.
final class BrowserApps: Sendable {
    /// Thrown if the script or a registration fails.
    struct Failure: Error {
        let text: String
    }

    /// The app of the operator.
    static let own = "shop-app"
    /// An app of another vendor, which is an OpenID client.
    static let other = "reader-app"

    let server: ServerProcess
    let network: ObservedTransport
    private let folder = TemporaryFolder()
    private let script: ChildProcess

    /// Starts the browser and the server, and registers the apps.
    init() async throws {
        network = try ObservedTransport()
        script = try await PythonScript("app_in_chromium.py").start([folder.path])
        let port = await script.output(until: "\n").dropFirst("port ".count).prefix { $0.isNumber }
        server = try await ServerProcess(
            data: folder.path + "/data",
            flags: Self.flags(sending: "http://127.0.0.1:\(port)/")
        )
        try await register(
            #"""
            {"client_id": "\#(Self.own)", "client_name": "The shop app", "skip_consent": true, \#
            "latchkey": {"first_party": true, "native_session": true}, \#(Self.members)}
            """#
        )
        try await register(
            #"{"client_id": "\#(Self.other)", "client_name": "The reader", \#(Self.members)}"#
        )
    }

    private static let members = """
        "application_type": "native", "token_endpoint_auth_method": "none", \
        "id_token_signed_response_alg": "ES256", "redirect_uris": ["http://127.0.0.1/callback"], \
        "grant_types": ["authorization_code", "refresh_token"], "scope": "openid email profile offline_access"
        """

    private static func flags(sending url: String) -> [String] {
        [
            "--log-level", "trace", "--identities-default-schema", "reader",
            "--courier-kind", "http", "--courier-url", url, "--courier-calling-codes", "43",
            "--courier-body", #"{"to": "{{phone}}", "code": "{{code}}"}"#,
            "--courier-mail-kind", "http", "--courier-mail-url", url,
            "--courier-mail-from", "no-reply@example.com",
            "--courier-mail-body", #"{"to": "{{to}}", "code": "{{code}}"}"#,
            // The user requests several codes within seconds.
            "--limits-codes-per-phone", "100/1m", "--limits-text-messages", "100000/1h",
        ]
    }

    private func register(_ client: String) async throws {
        let outcome = try await BuiltCommand.run(
            [
                "client", "create", "--file", "-", "--admin-url", server.adminURL,
                "--data", folder.path + "/data",
            ],
            home: folder.path,
            input: client
        )
        guard outcome.code == 0 else { throw Failure(text: outcome.text) }
    }

    // MARK: The apps

    /// Returns the SDK's client in a newly installed app.
    ///
    /// The issuer is `nil` if the app has sessions of the server.
    func client(_ id: String, issuer: String? = nil) throws -> LatchkeyClient {
        var configuration = LatchkeyConfiguration(server: server.url, app: "com.example.app")
        configuration.store = MemoryStore()
        configuration.client = ClientRegistration(id: id, issuer: issuer)
        configuration.transport = network
        configuration.languages = []
        return try LatchkeyClient(configuration)
    }

    /// The browser of the desktop, which returns to the app's listener.
    var browser: LoopbackBrowser {
        let desktop = DesktopBrowser(environment: environment)
        return LoopbackBrowser { page throws(LatchkeyError) in try await desktop.open(page) }
    }

    /// The environment of a desktop on which the script's browser opens pages.
    private var environment: [String: String] {
        [
            "HOME": folder.path, "PATH": "/usr/bin:/bin",
            "BROWSER": #"sh -c 'echo "$0" >> \#(folder.path)/pages'"#,
        ]
    }

    /// Runs the command line as another app of the user.
    func run(_ command: String...) async throws -> ChildProcess.Outcome {
        try await ChildProcess.run(
            [BuiltCommand.path] + command + ["--server", server.url, "--data", folder.path + "/command"],
            environment: environment
        )
    }

    // MARK: The user

    /// Performs a login, and waits until the user is back from the browser.
    ///
    /// - Parameters:
    ///   - journey: What the user does in the browser, as in the script.
    ///   - login: The login.
    /// - Returns: The result of the login.
    /// - Throws: ``Failure`` if the browser doesn't return to the app, or the error of the login.
    func perform<Value: Sendable>(
        _ journey: String,
        _ login: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task { try await login() }
        let line = "returned: \(journey)\n"
        if await !script.output(until: line).contains(line) {
            // Without its browser, the login would wait for minutes.
            task.cancel()
            throw Failure(text: "\(await task.result)\n\(await script.outcome().text)")
        }
        return try await task.value
    }

    /// Waits for the end of the script, and returns what its user has received and its browser has sent.
    func finish() async throws -> [String: Set<String>] {
        let outcome = await script.outcome()
        guard outcome.code == 0, outcome.output.hasSuffix("all steps passed\n") else {
            throw Failure(text: outcome.text)
        }
        let file = try Data(contentsOf: URL(filePath: folder.path + "/secrets.json"))
        return try JSONDecoder().decode([String: Set<String>].self, from: file)
    }
}
