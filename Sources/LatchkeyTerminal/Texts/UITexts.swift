import LatchkeyCore
import LatchkeyModel

/// The text, in one language, that the user interface adds to the server's forms.
struct UITexts: Sendable {
    /// The heading for each kind of flow.
    let titles: [Flow.Kind: String]
    /// The heading for a login that re-authenticates the user.
    let reauthentication: String
    /// The label for each group of settings.
    ///
    /// The server uses the label "Save" for every group.
    let settings: [FlowNode.Group: String]
    /// The prompt for selecting one of several numbered choices.
    ///
    /// The argument is the number of choices.
    let choose: @Sendable (Int) -> String
    /// The error for input that is not one of the numbered choices.
    let invalidChoice: @Sendable (Int) -> String
    /// The error for a missing value.
    let required: String
    /// The hint next to a field that may be left empty.
    let optional: String
    /// The hint that entering a hyphen removes the value of an optional field.
    let removable: String
    /// The prompt for repeating a new password.
    let repeatPassword: String
    /// The error for a repeated password that differs from the first one.
    let passwordsDiffer: String
    /// The letters for "yes" and "no" in lowercase.
    let yes: String
    let no: String
    /// The progress message while the server processes the input.
    let sending: String
    /// The descriptions of the commands that are available at every prompt.
    let back: String
    let cancel: String
    /// The hint that is shown when the input is hidden, because commands are not recognized there.
    let backFromHidden: String
    /// The message shown when a flow has expired and a new one has been started.
    let expired: String
    /// The message shown before an address is verified after a registration.
    let verification: @Sendable (String) -> String
    /// The message for a flow that continues in a browser, shown before the URL.
    let browser: String
    /// The label for logging in in a browser.
    let useBrowser: String
    /// The prompt while the user logs in in a browser.
    ///
    /// If the user enters an empty line, the page is opened again.
    let openAgain: String
    /// The texts for logins in another app.
    let otherApp: OtherAppTexts
    /// The message shown before a login that is required because the session has ended.
    let sessionEnded: String
    /// The prompt after an error.
    ///
    /// If the user enters an empty line, the request is retried.
    let tryAgain: String

    /// Returns the texts in the given language.
    static func texts(in language: UILanguage) -> UITexts {
        switch language {
        case .english: .english
        case .norwegian: .norwegian
        case .swedish: .swedish
        case .finnish: .finnish
        }
    }

    /// Returns the label for another way to log in.
    func label(of way: LoginMethod) -> String {
        switch way {
        case .signUp: titles[.registration] ?? way.rawValue
        case .recovery: titles[.recovery] ?? way.rawValue
        case .browser: useBrowser
        case .otherApp: otherApp.use
        default: way.rawValue
        }
    }

    /// The heading of a login.
    var loginTitle: String { titles[.login] ?? "" }

    /// Returns a heading that names the server's host, so that users see who asks for their password.
    func heading(_ title: String, of host: String) -> String { "\(title) (\(host.displayable))" }

    /// The heading of a flow.
    func title(of flow: Flow) -> String {
        flow.isReauthentication ? reauthentication : titles[flow.kind] ?? flow.kind.rawValue
    }
}

extension UITexts {
    private static let english = UITexts(
        titles: [
            .login: "Log in", .registration: "Create an account", .recovery: "Recover your account",
            .verification: "Verify your address", .settings: "Account settings",
        ],
        reauthentication: "Confirm that it is you",
        settings: [.profile: "Change your details", .password: "Set a new password"],
        choose: { "Choose a number from 1 to \($0)" },
        invalidChoice: { "Enter a number from 1 to \($0)." },
        required: "Enter a value.",
        optional: "optional",
        removable: "- to remove",
        repeatPassword: "Enter the password again",
        passwordsDiffer: "The passwords do not match.",
        yes: "y",
        no: "n",
        sending: "Sending…",
        back: "go back",
        cancel: "cancel",
        backFromHidden: "The input is not shown. Press Control-D to go back.",
        expired: "The form has expired. Start again.",
        verification: { "A code was sent to \($0). Enter it to verify the address." },
        browser: "Continue in a browser:",
        useBrowser: "log in in a browser",
        openAgain: "Log in in the browser. Press Enter to open the page again",
        otherApp: .english,
        sessionEnded: "Your session has ended. Log in again to continue.",
        tryAgain: "Press Enter to try again"
    )

    private static let norwegian = UITexts(
        titles: [
            .login: "Logg inn", .registration: "Opprett konto", .recovery: "Gjenopprett kontoen din",
            .verification: "Bekreft adressen din", .settings: "Kontoinnstillinger",
        ],
        reauthentication: "Bekreft at det er deg",
        settings: [.profile: "Endre opplysningene dine", .password: "Velg et nytt passord"],
        choose: { "Velg et tall fra 1 til \($0)" },
        invalidChoice: { "Skriv inn et tall fra 1 til \($0)." },
        required: "Feltet må fylles ut.",
        optional: "valgfritt",
        removable: "- for å fjerne",
        repeatPassword: "Skriv inn passordet en gang til",
        passwordsDiffer: "Passordene er ikke like.",
        yes: "j",
        no: "n",
        sending: "Sender …",
        back: "gå tilbake",
        cancel: "avbryt",
        backFromHidden: "Det du skriver, vises ikke. Trykk Control-D for å gå tilbake.",
        expired: "Skjemaet er utløpt. Begynn på nytt.",
        verification: { "Vi har sendt en kode til \($0). Skriv den inn for å bekrefte adressen." },
        browser: "Fortsett i en nettleser:",
        useBrowser: "logg inn i en nettleser",
        openAgain: "Logg inn i nettleseren. Trykk Enter for å åpne siden på nytt",
        otherApp: .norwegian,
        sessionEnded: "Økten din er avsluttet. Logg inn igjen for å fortsette.",
        tryAgain: "Trykk Enter for å prøve igjen"
    )

    private static let swedish = UITexts(
        titles: [
            .login: "Logga in", .registration: "Skapa konto", .recovery: "Återställ ditt konto",
            .verification: "Bekräfta din adress", .settings: "Kontoinställningar",
        ],
        reauthentication: "Bekräfta att det är du",
        settings: [.profile: "Ändra dina uppgifter", .password: "Välj ett nytt lösenord"],
        choose: { "Välj ett nummer från 1 till \($0)" },
        invalidChoice: { "Ange ett nummer från 1 till \($0)." },
        required: "Fältet måste fyllas i.",
        optional: "valfritt",
        removable: "- för att ta bort",
        repeatPassword: "Ange lösenordet en gång till",
        passwordsDiffer: "Lösenorden stämmer inte överens.",
        yes: "j",
        no: "n",
        sending: "Skickar …",
        back: "gå tillbaka",
        cancel: "avbryt",
        backFromHidden: "Det du skriver visas inte. Tryck på Control-D för att gå tillbaka.",
        expired: "Formuläret har gått ut. Börja om.",
        verification: { "En kod har skickats till \($0). Ange den för att bekräfta adressen." },
        browser: "Fortsätt i en webbläsare:",
        useBrowser: "logga in i en webbläsare",
        openAgain: "Logga in i webbläsaren. Tryck på Enter för att öppna sidan igen",
        otherApp: .swedish,
        sessionEnded: "Din session har avslutats. Logga in igen för att fortsätta.",
        tryAgain: "Tryck på Enter för att försöka igen"
    )

    private static let finnish = UITexts(
        titles: [
            .login: "Kirjaudu sisään", .registration: "Luo tili", .recovery: "Palauta tilisi",
            .verification: "Vahvista osoitteesi", .settings: "Tilin asetukset",
        ],
        reauthentication: "Vahvista henkilöllisyytesi",
        settings: [.profile: "Muuta tietojasi", .password: "Aseta uusi salasana"],
        choose: { "Valitse numero väliltä 1–\($0)" },
        invalidChoice: { "Anna numero väliltä 1–\($0)." },
        required: "Kenttä on täytettävä.",
        optional: "valinnainen",
        removable: "- poistaa arvon",
        repeatPassword: "Anna salasana uudelleen",
        passwordsDiffer: "Salasanat eivät täsmää.",
        yes: "k",
        no: "e",
        sending: "Lähetetään…",
        back: "takaisin",
        cancel: "peruuta",
        backFromHidden: "Syötettä ei näytetä. Palaa painamalla Control-D.",
        expired: "Lomake on vanhentunut. Aloita alusta.",
        verification: { "Koodi lähetettiin osoitteeseen \($0). Vahvista osoite antamalla koodi." },
        browser: "Jatka selaimessa:",
        useBrowser: "kirjaudu selaimessa",
        openAgain: "Kirjaudu selaimessa. Avaa sivu uudelleen painamalla Enter",
        otherApp: .finnish,
        sessionEnded: "Istuntosi on päättynyt. Kirjaudu uudelleen jatkaaksesi.",
        tryAgain: "Yritä uudelleen painamalla Enter"
    )
}
