import LatchkeyCore
import LatchkeyModel

/// The texts, in one language, for logins that the user confirms in another app.
///
/// The arguments are the name of that app.
struct OtherAppTexts: Sendable {
    /// The label for this way to log in.
    let use: String
    /// The message while the other app is open.
    let open: @Sendable (String) -> String
    /// The prompt while the other app is open.
    ///
    /// If the user enters an empty line, the app is opened again.
    let openAgain: String
    /// The description of the command that shows the form.
    let logInHere: String
    /// The messages that say why the form is shown after all.
    let notOpened: @Sendable (String) -> String
    let notAnswered: @Sendable (String) -> String
    let offline: String
    let failed: @Sendable (String) -> String

    /// Returns the message that says why the form is shown instead of the other app.
    func reason(of error: LatchkeyError, app: String) -> String {
        switch error.code {
        case .noPresenter: notOpened(app)
        case .flowExpired: notAnswered(app)
        case .unreachable, .timedOut: offline
        default: failed(app)
        }
    }

    static let english = OtherAppTexts(
        use: "log in with the other app",
        open: { "Continue in \($0)." },
        openAgain: "Press Enter to open the app again",
        logInHere: "log in here",
        notOpened: { "\($0) can't be opened. Log in here instead." },
        notAnswered: { "\($0) has not answered in time. Log in here instead." },
        offline: "The server can't be reached. Try again, or log in here.",
        failed: { "The login in \($0) did not work. Log in here instead." }
    )

    static let norwegian = OtherAppTexts(
        use: "logg inn med den andre appen",
        open: { "Fortsett i \($0)." },
        openAgain: "Trykk Enter for å åpne appen på nytt",
        logInHere: "logg inn her",
        notOpened: { "\($0) kan ikke åpnes. Logg inn her i stedet." },
        notAnswered: { "\($0) har ikke svart i tide. Logg inn her i stedet." },
        offline: "Vi får ikke kontakt med serveren. Prøv igjen, eller logg inn her.",
        failed: { "Innloggingen i \($0) gikk ikke. Logg inn her i stedet." }
    )

    static let swedish = OtherAppTexts(
        use: "logga in med den andra appen",
        open: { "Fortsätt i \($0)." },
        openAgain: "Tryck på Enter för att öppna appen igen",
        logInHere: "logga in här",
        notOpened: { "\($0) kan inte öppnas. Logga in här i stället." },
        notAnswered: { "\($0) har inte svarat i tid. Logga in här i stället." },
        offline: "Det går inte att nå servern. Försök igen eller logga in här.",
        failed: { "Inloggningen i \($0) gick inte. Logga in här i stället." }
    )

    static let finnish = OtherAppTexts(
        use: "kirjaudu toisella sovelluksella",
        open: { "Jatka sovelluksessa \($0)." },
        openAgain: "Avaa sovellus uudelleen painamalla Enter",
        logInHere: "kirjaudu täällä",
        notOpened: { "Sovellusta \($0) ei voi avata. Kirjaudu täällä." },
        notAnswered: { "\($0) ei vastannut ajoissa. Kirjaudu täällä." },
        offline: "Palvelimeen ei saada yhteyttä. Yritä uudelleen tai kirjaudu täällä.",
        failed: { "Kirjautuminen sovelluksessa \($0) ei onnistunut. Kirjaudu täällä." }
    )
}
