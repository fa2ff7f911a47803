import Foundation
import LatchkeyTerminal

/// A terminal for demonstrations.
///
/// A simulated user answers the prompts. The prompts and answers are written to standard output.
///
/// The user buys a game, logs in on demand with the code that the server has written to a file, adds a card,
/// restores the purchase, looks at the history and logs out.
@MainActor final class DemoTerminal: Terminal {
    /// The user's answers to the prompts of the menus and the payment method screens, in order.
    private var answers = [
        "1", "2",  // the shop: the game
        "1", "4242 4242 4242 4242", "4",  // no card yet: add one
        "2",  // restore
        "4",  // the history
        "5",  // log out
        "6",  // quit
    ][...]

    private let messages: String
    /// The number of logins that the user may still start.
    private var logins = 2
    /// The last code that the user entered.
    private var usedCode: String?

    /// Creates a terminal.
    ///
    /// - Parameter messages: The path of the file that contains the server's output.
    init(messages: String) {
        self.messages = messages
    }

    /// Prints a line without its control and format characters.
    ///
    /// Some texts, such as the titles of products, come from the server. Control characters in them could
    /// move the cursor or forge a prompt.
    nonisolated static func show(_ line: String) {
        let unsafe: Set<Unicode.GeneralCategory> = [
            .control, .format, .lineSeparator, .paragraphSeparator,
        ]
        let safe = line.unicodeScalars.filter { !unsafe.contains($0.properties.generalCategory) }
        print(String(String.UnicodeScalarView(safe)))
    }

    nonisolated func write(_ line: String) {
        Self.show(line)
    }

    nonisolated func showProgress(_ activity: String?) {}

    nonisolated func readLine(_ prompt: String, isHidden: Bool) async throws(TerminalInputError) -> String {
        var answer = await answer(to: prompt)
        // The server writes the code to the file at about the same time as it responds, so we may have to
        // wait for it.
        for _ in 0..<50 where answer == nil {
            try? await Task.sleep(for: .milliseconds(100))
            answer = await self.answer(to: prompt)
        }
        guard let answer else { throw .ended }
        Self.show(prompt + answer)
        return answer
    }

    private func answer(to prompt: String) -> String? {
        if prompt.contains("hone") {
            guard logins > 0 else { return nil }
            logins -= 1
            return "+436641234567"
        }
        if prompt.contains("ode") { return code() }
        return answers.popFirst()
    }

    /// Returns the code in the server's last text message, or `nil` if the user has already entered it.
    private func code() -> String? {
        guard
            let text = try? String(contentsOfFile: messages, encoding: .utf8),
            let message = text.split(whereSeparator: \.isNewline).last(where: { $0.hasPrefix("SMS to ") }),
            let code = message.split(whereSeparator: { !$0.isNumber }).first(where: { $0.count == 6 }),
            usedCode != String(code)
        else { return nil }
        usedCode = String(code)
        return usedCode
    }
}
