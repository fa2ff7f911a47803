import Glibc
import Latchkey
import LatchkeyLinux
import StoreApp

/// The `storeapp` command, which runs the app in the current terminal.
@main @MainActor struct StoreAppCommand {
    private static let handlers = DesktopSchemeHandlers()

    static func main() async {
        let command: StoreCommand
        do throws(StoreCommand.UsageError) {
            command = try StoreCommand(Array(CommandLine.arguments.dropFirst()))
        } catch {
            StandardStreams.complain("\(error)\nTry 'storeapp --help'.")
            exit(EX_USAGE)
        }
        do throws(LatchkeyError) {
            try await run(command)
        } catch {
            StandardStreams.complain(error.message)
            exit(EXIT_FAILURE)
        }
    }

    private static func run(_ command: StoreCommand) async throws(LatchkeyError) {
        switch command {
        case .help: StandardStreams.show(StoreCommand.helpText)
        case .unregister: try await handlers.unregister(GameStore.id)
        case .menu(let server):
            let store = try store(at: server)
            try await handlers.register(
                GameStore.id,
                name: GameStore.name,
                arguments: ["--server", server],
                needsTerminal: true
            )
            await store.run()
        case .answer(let url, let server):
            guard try await store(at: server).answer(url) else { exit(EXIT_FAILURE) }
        }
    }

    private static func store(at server: String) throws(LatchkeyError) -> GameStore {
        guard let terminal = SystemTerminal() else {
            throw LatchkeyError(.noPresenter, message: "The store needs a terminal.")
        }
        let client = try LatchkeyClient(GameStore.configuration(server: server))
        return GameStore(client: client, terminal: terminal, apps: handlers)
    }
}
