import Glibc
import Latchkey
import LatchkeyCore
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeyModel
import LatchkeyPurchases
import LatchkeyWire

/// The app that the probe simulates.
struct App {
    private let server: String
    private let client: LatchkeyClient
    private let end: SuddenEnd
    private let time: LateTime
    /// The purchases, or `nil` if no operation needs them.
    ///
    /// `Purchases` sends requests as soon as it is created, so tests that don't need purchases don't create
    /// one.
    private let purchases: Purchases?

    init(server: String, folder: String, hasPurchases: Bool) throws {
        self.server = server
        let (end, time) = (SuddenEnd(), LateTime())
        let location = StoreLocation(dataFolder: folder + "/data", keyFolder: folder + "/key")
        let store = EncryptedFileStore(server: server, app: "probe", location: location)
        var configuration = LatchkeyConfiguration(server: server, app: "probe")
        configuration.store = EndingStore(store: store, end: end)
        configuration.credential = .accessToken
        configuration.client = getenv("PROBE_CLIENT").map {
            ClientRegistration(id: String(cString: $0), redirectURIs: [PrintedBrowser.redirectURI])
        }
        configuration.transport = EndingTransport(transport: try CurlTransport(), end: end)
        configuration.time = time
        client = try LatchkeyClient(configuration)
        (self.end, self.time) = (end, time)
        purchases = hasPurchases ? Purchases(client) : nil
    }

    /// Performs the operation described by an argument and returns its result as a single line.
    func perform(_ operation: String) async -> String {
        let words = operation.split(separator: ":", maxSplits: 2).map(String.init)
        do throws(LatchkeyError) {
            switch (words[0], words.count) {
            case ("login", 3):
                try await client.signIn(identifier: words[1], password: words[2])
                return "in"
            case ("browser", 2):
                try await client.signIn(in: PrintedBrowser(file: words[1]))
                return "in"
            case ("handoff", 2):
                try await HandedOverLogin(of: client, answeredIn: words[1]).perform()
                return "in"
            case ("approve", 2):
                let url = PrintedBrowser.contents(of: words[1]) ?? ""
                return try await client.authorizationApproval(for: url).approve()
            case ("redirect", 2):
                let url = PrintedBrowser.contents(of: words[1]) ?? ""
                return client.handle(url) ? "handled" : "not handled"
            case ("settle", _):
                await client.engine.browserSignIn?.settle()
                return await client.engine.revocations?.settle() == true ? "settled" : "not settled"
            case ("send", _):
                let answer = try await client.send(HTTP.Request(.get, "/a/sessions/whoami"), to: server)
                return "\(answer.status) with \(token)"
            case ("renew", _):
                let keeper = client.engine.keeper
                _ = try await keeper.access(fresherThan: keeper.access())
                return "renewed to \(token)"
            case ("barrier", 2): return wait(for: words[1])
            case ("late", _):
                time.isLate.withLock { $0 = true }
                return "late"
            case ("die", _):
                end.plan(SIGKILL, at: words.dropFirst().joined(separator: ":"))
                return "going to die"
            case ("stop", _):
                end.plan(SIGSTOP, at: words.dropFirst().joined(separator: ":"))
                return "going to stop"
            case ("report", _):
                end.plan(0, at: words.dropFirst().joined(separator: ":"))
                return "going to report"
            case ("child", 2): return run(words[1])
            case ("buy", 2): return await buy(words[1])
            case ("deliver", 2): return await deliver(to: words[1])
            case ("fetch", 3): return await fetch(words[2], by: Self.proxy(words[1]))
            case ("state", _): return "\(try await client.checkSession().session == nil ? "out" : "in")"
            case ("held", _): return await client.restored().session == nil ? "out" : "in"
            case ("side", 2):
                let bytes = Array(words[1].utf8)
                try await client.engine.sideRecords.update(.pendingAuthorizations) { $0 = bytes }
                return words[1]
            case ("side", _):
                let bytes = try await client.engine.sideRecords.read(.pendingAuthorizations)
                return bytes.map { String(decoding: $0, as: UTF8.self) } ?? "none"
            case ("logout", _): return client.signOut().storageFailure.map { "\($0)" } ?? "out"
            default: return "no such operation"
            }
        } catch {
            // Errors from the keeper must be converted first.
            let error = client.engine.keeper.settled(error)
            return "error \(error.code), session \(error.isStillSignedIn ? "holds" : "ended")"
        }
    }

    /// Runs a shell command in a child process, which inherits everything that isn't protected from it.
    private func run(_ command: String) -> String {
        let words: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/sh"), strdup("-c"), strdup(command), nil]
        let variables: [UnsafeMutablePointer<CChar>?] = [strdup("PATH=/usr/bin:/bin"), nil]
        defer { for word in words + variables { free(word) } }
        var (child, status) = (pid_t(), Int32())
        guard posix_spawn(&child, "/bin/sh", nil, nil, words, variables) == 0 else { return "no child" }
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return "child ended"
    }

    /// Buys a product at its current price.
    private func buy(_ product: String) async -> String {
        guard let purchases else { return "no purchases" }
        do throws(PurchaseError) {
            let transaction = try await purchases.buy(purchases.order(of: product))
            return "bought \(transaction.id), \(transaction.state)"
        } catch {
            return "error \(error.code)"
        }
    }

    /// Delivers and finishes all unfinished purchases.
    ///
    /// - Parameter file: The file that the ids of delivered transactions are appended to.
    /// - Returns: The line to print.
    private func deliver(to file: String) async -> String {
        guard let purchases else { return "no purchases" }
        do throws(PurchaseError) {
            try await purchases.refresh()
            let transactions = purchases.unfinishedTransactions.filter { !$0.state.isPending }
            for transaction in transactions {
                append(transaction.id + "\n", to: file)
                try await purchases.finish(transaction.id)
            }
            return "delivered \(transactions.count)"
        } catch {
            return "error \(error.code)"
        }
    }

    private func append(_ text: String, to file: String) {
        let descriptor = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        let bytes = Array(text.utf8)
        _ = write(descriptor, bytes, bytes.count)
        close(descriptor)
    }

    /// Returns the proxy specified by an argument, which is `none`, `system` or a port on this machine.
    private static func proxy(_ word: String) -> ProxyChoice {
        switch word {
        case "none": .none
        case "system": .system
        default: .url("http://127.0.0.1:\(word)")
        }
    }

    /// Sends a request without credentials.
    ///
    /// - Returns: The status code, or the error code if the request failed.
    private func fetch(_ origin: String, by proxy: ProxyChoice) async -> String {
        var options = CurlOptions()
        options.proxy = proxy
        do throws(TransportError) {
            return
                "\(try await CurlTransport(options: options).send(HTTP.Request(.get, "/"), to: origin).status)"
        } catch {
            return error.code.rawValue
        }
    }

    /// The id of the access token.
    private var token: String {
        let parts = client.engine.keeper.held?.stored.pair?.access.exposed.split(separator: ".") ?? []
        guard
            parts.count == 3, let payload = Base64URL.decode(String(parts[1])),
            let claims = try? JSONCoding.decode(JSONValue.self, from: payload)
        else { return "none" }
        return claims["jti"]?.text ?? "none"
    }

    /// Prints that the process is ready and waits until the lock on a file is released.
    private func wait(for file: String) -> String {
        say("ready")
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        flock(descriptor, LOCK_SH)
        close(descriptor)
        return "go"
    }
}

/// A clock that can be set an hour ahead so that every access token has expired.
private final class LateTime: TimeSource {
    let isLate = Locked(getenv("PROBE_LATE") != nil)

    var now: Timestamp {
        SystemTime().now + (isLate.withLock { $0 } ? .seconds(3600) : .zero)
    }

    func sleep(for duration: Duration) async throws {
        try await SystemTime().sleep(for: duration)
    }
}
