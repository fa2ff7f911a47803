import Foundation
import Latchkey
import LatchkeyCore

/// Contains a program that restores a session from an encrypted file, and one that exits immediately.
///
/// Both programs are part of this executable, so they take the same time to load.
struct RestoredSession {
    private static let server = "https://id.example.com"
    private static let app = "com.example.benchmark"
    private static let grantApp = "com.example.grants"

    private let folder: String

    /// Creates the programs with a folder for the session.
    init(folder: String) {
        self.folder = folder
    }

    private func store(_ app: String) -> EncryptedFileStore {
        EncryptedFileStore(
            server: Self.server,
            app: app,
            location: StoreLocation(dataFolder: folder + "/data", keyFolder: folder + "/state")
        )
    }

    /// Stores the session that the program will restore.
    func prepare() throws {
        _ = try store(Self.app).write(AuthorizedRequests.session().encoded(), basedOn: 0)
        _ = try store(Self.grantApp).write(AuthorizedRequests.grantSession().encoded(), basedOn: 0)
    }

    /// Restores the session as an app would before it shows its first screen.
    ///
    /// - Parameter isGrant: Whether the user is logged in at another OpenID provider.
    /// - Throws: An error if there is no session.
    func run(isGrant: Bool) async throws {
        let app = isGrant ? Self.grantApp : Self.app
        var configuration = LatchkeyConfiguration(server: Self.server, app: app)
        configuration.store = store(app)
        if isGrant { configuration.client = ClientRegistration(id: "benchmark", issuer: Self.server) }
        let client = try LatchkeyClient(configuration)
        guard await client.restored().session != nil else {
            throw BlockingConnection.Failure(what: "the session was not restored")
        }
    }

    /// Measures the programs alternately, each from start to exit.
    ///
    /// - Parameter count: How often each program is started.
    /// - Returns: The median durations.
    /// - Throws: An error if one of the programs fails.
    func measure(_ count: Int) throws -> (empty: Duration, restored: Duration, granted: Duration) {
        var (empty, restored, granted): ([Duration], [Duration], [Duration]) = ([], [], [])
        for _ in 0..<count {
            empty.append(try start(["empty"]))
            restored.append(try start(["restore", folder]))
            granted.append(try start(["restore-grant", folder]))
        }
        return (empty.sorted()[count / 2], restored.sorted()[count / 2], granted.sorted()[count / 2])
    }

    private func start(_ arguments: [String]) throws -> Duration {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = arguments
        let begin = ContinuousClock.now
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BlockingConnection.Failure(what: "\(arguments[0]) failed")
        }
        return ContinuousClock.now - begin
    }
}
