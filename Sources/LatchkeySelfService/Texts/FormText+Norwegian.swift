extension FormText {
    /// The form texts in Norwegian Bokmål.
    ///
    /// Texts without a translation are shown in English.
    static let norwegian: [FormText: String] = [
        .signIn: "Logg inn",
        .signInWithPassword: "Logg inn med passord",
        .sendSignInCode: "Send meg en innloggingskode",
        .sendSignUpCode: "Send meg en bekreftelseskode",
        .signUp: "Opprett konto",
        .back: "Tilbake",
        .save: "Lagre",
        .proceed: "Fortsett",
        .resend: "Send en ny kode",
        .code: "Kode",
        .password: "Passord",
        .email: "E-post",
        .phone: "Telefonnummer",
        .emailOrPhone: "E-post eller telefonnummer",
        .loginCodeSent:
            "Hvis det finnes en konto med disse opplysningene, har vi sendt deg en kode. Skriv den inn her.",
        .codeSent: "Vi har sendt deg en kode. Skriv den inn her.",
        .recoveryCodeSent:
            "Hvis det finnes en konto med denne adressen, har vi sendt deg en kode. Skriv den inn her.",
        .emailCodeSent:
            "Hvis adressen hører til en konto, har vi sendt deg en e-post med en kode. Skriv inn koden her.",
        .phoneCodeSent:
            "Hvis nummeret hører til en konto, har vi sendt deg en SMS med en kode. Skriv inn koden her.",
        .chooseCredential: "Velg hvordan du vil logge inn.",
        .reauthenticate: "Logg inn på nytt for å bekrefte at det er deg.",
        .secondFactor: "Fullfør innloggingen med totrinnsbekreftelse.",
        .phoneVerified: "Telefonnummeret ditt er bekreftet.",
        .emailVerified: "E-postadressen din er bekreftet.",
        .recovered: "Kontoen din er gjenopprettet. Velg et nytt passord nå.",
        .settingsSaved: "Endringene dine er lagret.",
        .invalidCredentials:
            "Innloggingsopplysningene stemmer ikke. Sjekk at du har skrevet alt riktig, også passordet.",
        .duplicate: "Det finnes allerede en konto med denne e-postadressen eller dette telefonnummeret.",
        .duplicateWithHints:
            "Det finnes allerede en konto med {credential_identifier_hint}. Logg inn i stedet.",
        .identityDisabled: "Denne kontoen er sperret.",
        .appRequired: "Denne kontoen kan bare brukes i appen. Logg inn der.",
        .chooseSignIn: "Velg hvordan du vil logge inn, og fyll ut feltene.",
        .chooseSignUp: "Velg hvordan du vil opprette kontoen, og fyll ut feltene.",
        .chooseChange: "Velg hva du vil endre, og fyll ut feltene.",
        .chooseRecovery: "Velg hvordan du vil gjenopprette kontoen, og fyll ut feltene.",
        .chooseVerification:
            "Velg hvordan du vil bekrefte e-postadressen eller telefonnummeret ditt, og fyll ut feltene.",
        .flowExpired: "Skjemaet har utløpt eller er allerede brukt. Begynn på nytt her.",
        .usedAlready: "Skjemaet er allerede brukt. Begynn på nytt her.",
        .doneOrTriedTooOften:
            "Bekreftelsen er allerede fullført, eller så har det vært for mange forsøk. Begynn på nytt.",
        .noCodeLogin:
            "Vi finner ingen konto med disse opplysningene, eller så kan du ikke logge inn på den med kode.",
        .noCodeAddress: "Skriv inn en e-postadresse eller et telefonnummer som vi kan sende en kode til.",
        .codeUsed: "Denne koden er allerede brukt. Be om en ny.",
        .codeExhausted: "Feil kode er skrevet inn for mange ganger. Begynn på nytt.",
        .wrongCode: "Koden er feil eller har utløpt. Sjekk koden, eller be om en ny.",
        .traitsChanged: "Opplysningene dine er endret etter at koden ble sendt. Be om en ny kode.",
        .passwordUnchanged: "Du bruker allerede dette passordet. Velg et annet.",
        .changedMeanwhile:
            "Kontoen ble endret et annet sted samtidig. Sjekk opplysningene dine, og prøv igjen.",
        .severalAddresses:
            "Endre én adresse om gangen. Hver adresse må bekreftes før du kan endre den neste.",
        .nothingToChange: "Fyll inn opplysningene du vil endre.",
        .addressNotProven:
            "Denne adressen er oppgitt på en konto, men er ikke bekreftet der. Hvis kontoen er din, kan du logge inn med passordet eller en annen adresse og deretter bekrefte denne adressen. Hvis kontoen ikke er din, kan du opprette en ny konto med adressen.",
        .claimCodeSent:
            "Vi har sendt en kode til {address}. Skriv den inn her for å bekrefte at dette er ditt.",
        .lastEntrance:
            "Uten dette kan du ikke lenger logge inn på kontoen din. Skriv inn en adresse der du kan motta koder.",
        .removalNeedsProof:
            "For å fjerne denne adressen må du først logge inn på nytt med passordet ditt eller med en kode som vi sender til adressen.",
        .passwordNeedsProof:
            "For å bytte passord må du først logge inn på nytt med det nåværende passordet eller gjenopprette kontoen.",
        .addressNotVerified: "Bekreft e-postadressen eller telefonnummeret ditt først.",
        .missing: "Fyll ut dette feltet.",
        .tooShort: "Dette er for kort. Lengden må være minst {min_length}, men er {actual_length}.",
        .tooLong: "Dette er for langt. Lengden kan være høyst {max_length}, men er {actual_length}.",
        .tooSmall: "Verdien er for lav.",
        .tooLarge: "Verdien er for høy.",
        .wrongType: "Verdien er av feil type. Riktig type: {allowed_types}.",
        .invalidEmail: "Dette er ikke en gyldig e-postadresse.",
        .internationalMailbox:
            "Vi kan ikke sende e-post til en adresse med bokstaver som ø før @. Bruk en annen adresse.",
        .invalidPhone: "Dette er ikke et gyldig telefonnummer. Begynn med + og landskoden.",
        .invalidDate: "Dette er ikke en gyldig dato. Bruk formatet år-måned-dag.",
        .documentNotAccepted: "Bekreft dette for å fortsette.",
        .documentChanged: "En ny versjon er publisert. Les den og bekreft på nytt.",
        .acceptDocument: "Jeg godtar: {title}",
        .readDocument: "Jeg har lest: {title}",
        .declineDocuments: "Avslå og logg ut",
        .tooYoung: "Du må være minst {minimum_age} år.",
        .birthdayWithoutYear: "Skriv inn fødselsdatoen din med årstall.",
        .invalidRegion: "Dette er ikke en landkode. Bruk to bokstaver, for eksempel NO.",
        .regionOfOtherPhone:
            "Dette landet passer ikke til telefonnummeret ditt. Kontakt oss hvis du har flyttet.",
        .regionChangedRecently: "Du har nylig endret landet. Du kan endre det igjen om {days} dager.",
        .phoneNotVerified: "Dette telefonnummeret er ikke bekreftet ennå.",
        .otherPhoneVerified: "Du har bekreftet et annet telefonnummer enn dette.",
        .passwordTooShort: "Passordet er for kort. Bruk minst {min_length} tegn.",
        .passwordTooLong: "Passordet er for langt. Bruk høyst {max_length} byte.",
        .passwordBreached: "Dette passordet har vært med i en datalekkasje. Velg et annet.",
        .passwordCommon: "Dette passordet er for vanlig. Velg et som er vanskeligere å gjette.",
        .passwordSimilar: "Passordet ligner for mye på adressen eller navnet du logger inn med.",
    ]
}
