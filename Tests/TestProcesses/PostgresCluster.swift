import Foundation
import LatchkeyModel

/// A separate PostgreSQL server with its own folder and a Unix socket.
///
/// The server ends along with this process.
///
/// Data is not synced to disk, so it survives a crash of the server but not of the machine.
package final class PostgresCluster: Sendable {
    /// The error thrown if a server does not start.
    ///
    /// The error contains the server's output.
    package struct Failure: Error {
        package let text: String
    }

    /// The name of the superuser.
    package static let user = "latchkey"

    /// The folder for the server's data, socket and other files.
    let folder: String
    private let settings: [String]
    private let process: ChildProcess

    /// Creates a new cluster and starts it.
    ///
    /// - Parameter settings: Additional settings, such as `max_connections=20`.
    /// - Throws: ``Failure`` if the server does not start.
    package convenience init(settings: [String] = []) async throws {
        try await self.init(folder: try await Self.makeCluster(), settings: settings)
    }

    /// Creates a standby that follows a cluster until ``promote()`` is called.
    ///
    /// - Parameter primary: A running cluster.
    /// - Throws: ``Failure`` if the server does not start.
    package convenience init(following primary: PostgresCluster) async throws {
        let folder = try Self.makeFolder()
        try await Self.run([
            Self.program("pg_basebackup"), "--host=\(primary.folder)", "--username=\(Self.user)",
            "--pgdata=\(folder)/data", "--write-recovery-conf", "--checkpoint=fast", "--no-sync",
        ])
        try await self.init(folder: folder, settings: primary.settings)
    }

    init(folder: String, settings: [String]) async throws {
        self.folder = folder
        self.settings = settings
        let ours = [
            "listen_addresses=", "unix_socket_directories=\(folder)", "fsync=off", "full_page_writes=off",
            "max_connections=300", "shared_buffers=32MB", "log_min_messages=log", "log_checkpoints=off",
        ]
        let options = (ours + settings).flatMap { ["-c", $0] }
        process = try await ChildProcess.start(
            // PostgreSQL writes its log to standard error.
            Self.asUnprivileged(
                ["sh", "-c", #"exec "$@" 2>&1"#, "sh", Self.program("postgres"), "-D", "\(folder)/data"]
                    + options
            )
        )
        // A standby logs that it accepts "read-only connections".
        let ready = "ready to accept "
        guard await process.output(until: ready).contains(ready) else {
            throw Failure(text: await process.outcome().text)
        }
    }

    /// Returns the URL of a database.
    package func url(_ database: String = "postgres") -> String {
        "postgres://\(Self.user)@\(socket)/\(database)"
    }

    /// Returns a database URL that lists several clusters.
    package static func url(of clusters: [PostgresCluster]) -> String {
        "postgres://\(user)@/postgres?host=" + clusters.map(\.socket).joined(separator: ",")
    }

    private var socket: String { folder.replacingOccurrences(of: "/", with: "%2F") }

    /// Stops the server and closes all of its connections.
    ///
    /// - Parameter signal: SIGINT for a fast shutdown, or SIGQUIT for an immediate one. Acknowledged changes
    ///   are preserved after both kinds of shutdown.
    package func stop(_ signal: Int32 = SIGQUIT) async {
        process.signal(signal)
        _ = await process.outcome()
    }

    /// Suspends all of the server's processes at an arbitrary point, or resumes them.
    package func freeze(_ isFrozen: Bool) async throws {
        let lines = try String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
            .split(separator: "\n")
        guard let postmaster = lines.first.flatMap({ pid_t($0) }) else { return }
        let children = try await ChildProcess.run(["pgrep", "-P", "\(postmaster)"]).output
        for process in [postmaster] + children.split(separator: "\n").compactMap({ pid_t($0) }) {
            kill(process, isFrozen ? SIGSTOP : SIGCONT)
        }
    }

    /// Starts the server again after ``stop(_:)``.
    ///
    /// The restarted server has the same data and the same address.
    ///
    /// - Returns: The new cluster, which must be used instead of this one.
    /// - Throws: ``Failure`` if the server does not start.
    package func started() async throws -> PostgresCluster {
        // After SIGKILL, the child processes continue to run for a short time. Another server cannot use the
        // data until these processes have ended.
        for _ in 0..<100 {
            do {
                return try await PostgresCluster(folder: folder, settings: settings)
            } catch let failure as Failure where failure.text.contains("still in use") {}
        }
        return try await PostgresCluster(folder: folder, settings: settings)
    }

    /// Promotes this standby to primary.
    package func promote() async throws {
        try await Self.run([Self.program("pg_ctl"), "promote", "--pgdata=\(folder)/data"])
    }

    /// Deletes the data of a server that was stopped with ``stop(_:)``.
    package func remove() {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Creates the data folder of a cluster and returns its path.
    static func makeCluster() async throws -> String {
        let folder = try makeFolder()
        try await run([
            program("initdb"), "--pgdata=\(folder)/data", "--username=\(user)", "--auth=trust",
            "--encoding=UTF8", "--locale=C", "--no-sync",
        ])
        return folder
    }

    /// Runs a program until it exits, as the user who owns the data.
    static func run(_ command: [String]) async throws {
        let outcome = try await ChildProcess.run(asUnprivileged(command))
        guard outcome.code == 0 else { throw Failure(text: outcome.text) }
    }

    /// Returns the path of a program in the newest installed version.
    private static func program(_ name: String) -> String {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let newest = versions.compactMap { Int($0) }.max()
        return newest.map { "\(root)/\($0)/bin/\(name)" } ?? name
    }

    /// Returns a command that runs as another user if this process runs as root, because PostgreSQL refuses
    /// to run as root.
    ///
    /// Changing the user clears the signal that the kernel sends when the parent dies. The command therefore
    /// sets this signal to SIGQUIT, which makes the server release its shared memory.
    private static func asUnprivileged(_ command: [String]) -> [String] {
        guard geteuid() == 0 else { return ["setpriv", "--pdeathsig", "QUIT", "--"] + command }
        return [
            "setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--pdeathsig", "QUIT", "--",
        ]
            + command
    }

    /// The folders to delete when this process ends.
    private static let made = Locked<[String]>([])

    private static func removeAll() {
        for folder in made.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// An in-memory file system with enough space, where creating and deleting thousands of small files is
    /// cheap.
    private static var memory: String? {
        let path = "/dev/shm"
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path)
        let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value ?? 0
        return free > 1 << 30 ? path : nil
    }

    /// Creates a folder whose name identifies this process, and deletes the folders of processes that have
    /// ended.
    private static func makeFolder() throws -> String {
        let files = FileManager.default
        let parent = memory ?? files.temporaryDirectory.path
        let prefix = "latchkey-postgres-"
        for name in (try? files.contentsOfDirectory(atPath: parent)) ?? [] where name.hasPrefix(prefix) {
            let owner = name.dropFirst(prefix.count).prefix { $0 != "-" }
            if let owner = pid_t(owner), kill(owner, 0) != 0, errno == ESRCH {
                try? files.removeItem(atPath: "\(parent)/\(name)")
            }
        }
        let folder = "\(parent)/\(prefix)\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        try files.createDirectory(atPath: folder, withIntermediateDirectories: false)
        made.withLock { folders in
            if folders.isEmpty {
                // The servers end automatically along with this process.
                atexit { PostgresCluster.removeAll() }
            }
            folders.append(folder)
        }
        if geteuid() == 0, let user = getpwnam("postgres")?.pointee {
            chown(folder, user.pw_uid, user.pw_gid)
        }
        return folder
    }
}
