import Foundation
import LatchkeyTerminal

/// A terminal for demonstrations, with a simulated user who answers the prompts.
///
/// The prompts and answers are written to standard output. The user logs in with the codes that the server has written
/// to a file.
@MainActor public final class DemoTerminal: Terminal {
    /// The user's answers to the prompts of the app's own screens, in order.
    private var answers: ArraySlice<String>
    private let messages: String
    /// The number of logins that the user may still start.
    private var logins = 2
    /// The last code that the user entered.
    private var usedCode: String?

    /// Creates a terminal.
    ///
    /// - Parameters:
    ///   - answers: The user's answers to the prompts of the app's own screens, in order.
    ///   - messages: The path of the file that contains the server's output.
    public init(answers: [String], messages: String) {
        self.answers = answers[...]
        self.messages = messages
    }

    /// Prints a line without its control and format characters.
    ///
    /// Some texts, such as the titles of products, come from the server. Control characters in them could
    /// move the cursor or forge a prompt.
    nonisolated public static func show(_ line: String) {
        print(safe(line))
        // Other programs read the output while this one is running.
        fflush(nil)
    }

    /// Writes an error message to standard error.
    nonisolated public static func complain(_ message: String) {
        let lines = message.split(separator: "\n").map { safe(String($0)) + "\n" }
        FileHandle.standardError.write(Data(lines.joined().utf8))
    }

    nonisolated private static func safe(_ line: String) -> String {
        let unsafe: Set<Unicode.GeneralCategory> = [
            .control, .format, .lineSeparator, .paragraphSeparator,
        ]
        let safe = line.unicodeScalars.filter { !unsafe.contains($0.properties.generalCategory) }
        return String(String.UnicodeScalarView(safe))
    }

    /// Prints a line.
    nonisolated public func write(_ line: String) {
        Self.show(line)
    }

    /// Ignores the activity, because progress is shown only temporarily.
    nonisolated public func showProgress(_ activity: String?) {}

    /// Prints a prompt, and returns the user's answer to it.
    nonisolated public func readLine(
        _ prompt: String,
        isHidden: Bool
    ) async throws(TerminalInputError) -> String {
        // The user is in the other app, and the prompt ends with the login.
        if prompt.contains("open the app again") {
            Self.show(prompt)
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }
            throw .interrupted
        }
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
