import Foundation
import LatchkeyModel

/// A PostgreSQL server of our own, in a folder of its own, reached by a Unix socket; it ends with this process.
///
/// Data are not synced to the disk: an end of the server loses nothing, only one of the machine would.
package final class PostgresCluster: Sendable {
    /// A server that does not come up, with what it said.
    package struct Failure: Error {
        package let text: String
    }

    /// The superuser.
    package static let user = "latchkey"

    /// Where its data, its socket and what belongs to it lie.
    let folder: String
    private let settings: [String]
    private let process: ChildProcess

    /// Makes a new cluster and starts it.
    ///
    /// - Parameter settings: Settings besides ours, such as `max_connections=20`.
    /// - Throws: ``Failure`` when it does not come up.
    package convenience init(settings: [String] = []) async throws {
        try await self.init(folder: try await Self.makeCluster(), settings: settings)
    }

    /// Makes a standby of a cluster, which follows it until ``promote()``.
    ///
    /// - Parameter primary: A cluster that runs.
    /// - Throws: ``Failure`` when it does not come up.
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
            // What it says goes to standard error.
            Self.asUnprivileged(
                ["sh", "-c", #"exec "$@" 2>&1"#, "sh", Self.program("postgres"), "-D", "\(folder)/data"]
                    + options
            )
        )
        // A standby accepts "read-only connections".
        let ready = "ready to accept "
        guard await process.output(until: ready).contains(ready) else {
            throw Failure(text: await process.outcome().text)
        }
    }

    /// The address of a database.
    package func url(_ database: String = "postgres") -> String {
        "postgres://\(Self.user)@\(socket)/\(database)"
    }

    /// The address of a database that is on several of them.
    package static func url(of clusters: [PostgresCluster]) -> String {
        "postgres://\(user)@/postgres?host=" + clusters.map(\.socket).joined(separator: ",")
    }

    private var socket: String { folder.replacingOccurrences(of: "/", with: "%2F") }

    /// Ends the server, all its connections with it.
    ///
    /// - Parameter signal: SIGINT for an orderly end, SIGQUIT for a sudden one that loses nothing acknowledged.
    package func stop(_ signal: Int32 = SIGQUIT) async {
        process.signal(signal)
        _ = await process.outcome()
    }

    /// Stops all of its processes in the middle of whatever they do, or lets them go on.
    package func freeze(_ isFrozen: Bool) async throws {
        let lines = try String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
            .split(separator: "\n")
        guard let postmaster = lines.first.flatMap({ pid_t($0) }) else { return }
        let children = try await ChildProcess.run(["pgrep", "-P", "\(postmaster)"]).output
        for process in [postmaster] + children.split(separator: "\n").compactMap({ pid_t($0) }) {
            kill(process, isFrozen ? SIGSTOP : SIGCONT)
        }
    }

    /// Starts it again, on the same data and at the same address, after ``stop(_:)``.
    ///
    /// - Returns: The cluster in place of this one.
    /// - Throws: ``Failure`` when it does not come up.
    package func started() async throws -> PostgresCluster {
        // After SIGKILL its children live for moments, and no other server may touch the data meanwhile.
        for _ in 0..<100 {
            do {
                return try await PostgresCluster(folder: folder, settings: settings)
            } catch let failure as Failure where failure.text.contains("still in use") {}
        }
        return try await PostgresCluster(folder: folder, settings: settings)
    }

    /// Has a standby take the place of the cluster that it followed.
    package func promote() async throws {
        try await Self.run([Self.program("pg_ctl"), "promote", "--pgdata=\(folder)/data"])
    }

    /// Removes its data, after ``stop(_:)``.
    package func remove() {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Makes the data of a cluster.
    static func makeCluster() async throws -> String {
        let folder = try makeFolder()
        try await run([
            program("initdb"), "--pgdata=\(folder)/data", "--username=\(user)", "--auth=trust",
            "--encoding=UTF8", "--locale=C", "--no-sync",
        ])
        return folder
    }

    /// Runs a program to its end as the user who owns the data.
    static func run(_ command: [String]) async throws {
        let outcome = try await ChildProcess.run(asUnprivileged(command))
        guard outcome.code == 0 else { throw Failure(text: outcome.text) }
    }

    /// The newest installed version's program.
    private static func program(_ name: String) -> String {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let newest = versions.compactMap { Int($0) }.max()
        return newest.map { "\(root)/\($0)/bin/\(name)" } ?? name
    }

    /// Under another user when we are root, as which PostgreSQL refuses to run.
    ///
    /// Changing the user forgets what our end is to send, so it is said again: SIGQUIT, on which the server takes its
    /// shared memory along.
    private static func asUnprivileged(_ command: [String]) -> [String] {
        guard geteuid() == 0 else { return ["setpriv", "--pdeathsig", "QUIT", "--"] + command }
        return [
            "setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--pdeathsig", "QUIT", "--",
        ]
            + command
    }

    /// Folders to be removed at the end of this process.
    private static let made = Locked<[String]>([])

    private static func removeAll() {
        for folder in made.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// A file system in memory with room enough; thousands of small files come and go there at no cost.
    private static var memory: String? {
        let path = "/dev/shm"
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path)
        let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value ?? 0
        return free > 1 << 30 ? path : nil
    }

    /// A folder that says whose it is; those of processes that are gone are removed.
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
                // The servers end with this process by themselves.
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
