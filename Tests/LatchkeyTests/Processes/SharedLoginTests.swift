import Glibc
import Latchkey
import LatchkeyCore
import LatchkeyTestKit
import TestProcesses
import Testing

/// Tests actions that wait for a login while other processes use the same session store.
@Suite(.serialized) @MainActor struct `Login on demand in several processes` {
    /// An app in the test process, with 100 actions that are waiting for a login.
    ///
    /// The app shares its store with the other processes.
    @MainActor private struct WaitingApp {
        let client: LatchkeyClient
        let presenter = TestPresenter()
        let actions: [Task<Result<String, LatchkeyError>, Never>]

        init(_ shared: SharedServer) async throws {
            let location = StoreLocation(
                dataFolder: shared.folder + "/app/data",
                keyFolder: shared.folder + "/app/key"
            )
            let client = try LatchkeyClient(server: shared.server.url, app: "probe") {
                $0.store = EncryptedFileStore(server: shared.server.url, app: "probe", location: location)
            }
            self.client = client
            client.presenter = presenter
            actions = (1...100).map { _ in
                Task {
                    do {
                        return .success(try await client.withSession { $0.session.identity.id })
                    } catch {
                        return .failure(
                            error as? LatchkeyError ?? LatchkeyError(.refused, message: "\(error)")
                        )
                    }
                }
            }
            await callersWait()
        }

        /// Waits until all actions are waiting for a session.
        func callersWait() async {
            while client.engine.access.waitingCallers != 100 { await Task.yield() }
        }
    }

    @Test func `A login in another process resumes 100 waiting actions`() async throws {
        try await SharedServer.with { (shared) async throws in
            #expect(try await shared.probe.run("logout").output == "out\n")
            let app = try await WaitingApp(shared)
            let login = await app.presenter.login()

            #expect(try await shared.probe.run(shared.login).output == "in\n")

            #expect(await app.actions.results.values.map { $0 } == [100])
            #expect(await login.end() == .finished)
            #expect(app.presenter.logins.count == 1)
        }
    }

    @Test func `Waiting actions are resumed even if another process is killed during a login`() async throws {
        try await SharedServer.with { (shared) async throws in
            #expect(try await shared.probe.run("logout").output == "out\n")
            let app = try await WaitingApp(shared)
            let login = await app.presenter.login()

            let early = try await shared.probe.run("die:beforeWrite", shared.login)
            #expect(early.code == -SIGKILL)
            await app.callersWait()
            #expect(login.isOpen)

            let late = try await shared.probe.run("die:afterWrite", shared.login)
            #expect(late.code == -SIGKILL)

            #expect(await app.actions.results.values.map { $0 } == [100])
            #expect(await login.end() == .finished)
            #expect(app.presenter.logins.count == 1)
        }
    }
}
