import ExampleDemo
import Foundation
import Latchkey
import LatchkeyLinux
import StoreApp

/// The store app with a simulated user, who logs in and approves each request.
///
/// It is a program of its own, so that there is no option with which the store app itself approves requests without
/// its user.
@main @MainActor struct StoreAppDemo {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 3 else {
            DemoTerminal.complain("usage: StoreAppDemo SERVER MESSAGES URL")
            exit(EX_USAGE)
        }
        do throws(LatchkeyError) {
            let store = GameStore(
                client: try LatchkeyClient(GameStore.configuration(server: arguments[0])),
                terminal: DemoTerminal(answers: ["1"], messages: arguments[1]),
                apps: DesktopSchemeHandlers()
            )
            guard await store.answer(arguments[2]) else { exit(EXIT_FAILURE) }
        } catch {
            DemoTerminal.complain(error.message)
            exit(EXIT_FAILURE)
        }
    }
}
