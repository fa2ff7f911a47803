import Foundation
import Latchkey
import LatchkeyCore

/// A program that restores a session from an encrypted file, and a program that does nothing.
///
/// Both are this executable, so that loading it takes the same time.
struct RestoredSession {
    private static let server = "https://id.example.com"
    private static let app = "com.example.benchmark"

    private let folder: String

    /// Creates a program with its folder.
    init(folder: String) {
        self.folder = folder
    }

    private var store: EncryptedFileStore {
        EncryptedFileStore(
            server: Self.server,
            app: Self.app,
            location: StoreLocation(dataFolder: folder + "/data", keyFolder: folder + "/state")
        )
    }

    /// Stores the session that the program restores.
    func prepare() throws {
        _ = try store.write(AuthorizedRequests.session().encoded(), basedOn: 0)
    }

    /// Restores the session, as an app does before it shows its first screen.
    func run() async throws {
        let client = try LatchkeyClient(server: Self.server, app: Self.app, store: store)
        guard await client.restored().session != nil else {
            throw BlockingConnection.Failure(what: "the session was not restored")
        }
    }

    /// Measures the time from the start of a program to its end, alternately for both programs.
    ///
    /// - Parameter count: The number of starts of each program.
    /// - Returns: The medians.
    /// - Throws: An error if a program fails.
    func measure(_ count: Int) throws -> (empty: Duration, restored: Duration) {
        var (empty, restored): ([Duration], [Duration]) = ([], [])
        for _ in 0..<count {
            empty.append(try start(["empty"]))
            restored.append(try start(["restore", folder]))
        }
        return (empty.sorted()[count / 2], restored.sorted()[count / 2])
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
