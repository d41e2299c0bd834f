/** The app's name for the system, as the installers write it (`appId` of electron-builder.yml). */
export const APP_ID = 'app.espalier.desktop';
