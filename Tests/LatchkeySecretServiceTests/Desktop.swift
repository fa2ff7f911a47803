import Foundation
import LatchkeyCore
import TestProcesses

@testable import LatchkeySecretService

/// A separate desktop session with a keyring and a message bus without activation.
final class Desktop: Sendable {
    private static let password = "a password"

    let root: String
    private let bus: ChildProcess
    private let keyring = Box<ChildProcess?>(nil)

    /// Runs a test with a desktop session and then ends the session.
    static func with(
        keyring: Bool = true,
        _ body: @Sendable (Desktop) async throws -> Void
    ) async throws {
        // A socket's path can have at most 107 bytes.
        let root = "/tmp/lk-\(UUID().uuidString.prefix(13))"
        for folder in ["", "/run", "/home"] { mkdir(root + folder, 0o700) }
        defer { try? FileManager.default.removeItem(atPath: root) }
        let desktop = try await Desktop(root: root)
        do {
            if keyring { try await desktop.startKeyring() }
            try await body(desktop)
        } catch {
            await desktop.stop()
            throw error
        }
        await desktop.stop()
    }

    private init(root: String) async throws {
        self.root = root
        let configuration = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
              "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>session</type>
              <listen>unix:path=\(root)/run/bus</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/>
                <allow eavesdrop="true"/>
                <allow own="*"/>
              </policy>
            </busconfig>
            """
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: root + "/bus.conf"))
        bus = try await ChildProcess.start(
            ["dbus-daemon", "--config-file=\(root)/bus.conf", "--nofork", "--nopidfile", "--print-address=1"]
        )
        _ = await bus.output(until: "unix:path=")
    }

    var address: String { "unix:path=\(root)/run/bus" }

    var environment: [String: String] {
        [
            "HOME": root + "/home", "XDG_RUNTIME_DIR": root + "/run", "PATH": "/usr/bin:/bin",
            "DBUS_SESSION_BUS_ADDRESS": address,
        ]
    }

    /// Starts an unlocked keyring with its previous contents, as it would be after a login.
    func startKeyring(unlocked: Bool = true) async throws {
        let daemon = ["gnome-keyring-daemon", "--foreground", "--components=secrets"]
        let process = try await ChildProcess.start(
            daemon + (unlocked ? ["--unlock"] : ["--start"]),
            environment: environment,
            input: unlocked ? Self.password : ""
        )
        keyring.set(process)
        while try await off({ try? self.service().defaultCollection() }) == nil {
            // The test is cancelled at its time limit, which ends this loop too.
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    func stopKeyring() async {
        keyring.get()?.signal(SIGCONT)
        keyring.get()?.signal(SIGKILL)
        _ = await keyring.get()?.outcome()
        keyring.set(nil)
    }

    /// Suspends or resumes the keyring's process.
    func freezeKeyring(_ isFrozen: Bool) {
        keyring.get()?.signal(isFrozen ? SIGSTOP : SIGCONT)
    }

    func lock() async throws {
        try await off { try self.lockNow() }
    }

    /// Unlocks the keyring as its own prompt would after the user has entered the password.
    func unlock() async throws {
        try await off { try self.unlockNow() }
    }

    func lockNow() throws {
        let collection = try collection()
        _ = try connection().call(
            "Lock",
            of: "org.freedesktop.Secret.Service",
            at: "/org/freedesktop/secrets",
            parameters: [.array(of: "o", [.path(collection)])],
            returning: "(aoo)"
        )
    }

    func unlockNow() throws {
        let collection = try collection()
        let bus = try connection()
        let session = try bus.call(
            "OpenSession",
            of: "org.freedesktop.Secret.Service",
            at: "/org/freedesktop/secrets",
            parameters: [.string("plain"), .variant(.string(""))],
            returning: "(vo)"
        )[1].text
        let password: [Variant] = [
            .path(session), .bytes([]), .bytes(Array(Self.password.utf8)), .string("text/plain"),
        ]
        _ = try bus.call(
            "UnlockWithMasterPassword",
            of: "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface",
            at: "/org/freedesktop/secrets",
            parameters: [.path(collection), .tuple(password)],
            returning: "()"
        )
    }

    /// Returns the collection.
    ///
    /// A busy keyring may temporarily fail to report its default collection.
    private func collection() throws -> String {
        for _ in 0..<10_000 {
            if let collection = try service().defaultCollection() { return collection }
        }
        throw SessionStoreError(.failed, message: "The keyring names no collection.")
    }

    func service() throws -> SecretService {
        SecretService(try connection())
    }

    private func connection() throws -> BusConnection {
        try BusConnection(SessionBus(address: address), deadline: Deadline(after: .seconds(10)))
    }

    func store(app: String = "app", timeout: Duration = .seconds(10)) -> SecretServiceStore {
        SecretServiceStore(
            server: "https://id.example",
            app: app,
            folder: root + "/data",
            bus: SessionBus(address: address),
            timeout: timeout
        )
    }

    /// The names of the store's files outside the keyring, except for locks.
    var marks: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root + "/data")) ?? []
        return names.filter { !$0.hasSuffix(".lock") }.map { "." + ($0.split(separator: ".").last ?? "") }
            .sorted()
    }

    private func stop() async {
        await stopKeyring()
        bus.signal(SIGKILL)
        _ = await bus.outcome()
    }
}
